import { Button, Menu, MenuItem, PopoverNext } from '@blueprintjs/core';
import { More } from '@blueprintjs/icons';
import { memo, useRef, useState } from 'react';
import type { Action, ProcessRow } from '../../../core/contract/views.ts';
import { useActionsOff, useConsole } from '../../app/console-context.ts';
import { ACTION_TABLE, buttonText, isOneClick } from '../../stores/action-table.ts';
import { targetOf } from '../../stores/target.ts';
import { visibleLine } from '../../ui/visible-text.ts';
import { focusFirst, onMenuKey, onMenuKeyUp } from '../../ui/menu-keys.ts';
import { ActionIcon } from './action-icons.tsx';

interface Props {
  readonly row: ProcessRow;
  /** One tab stop for the whole table: only the current row's buttons are reached by the tab key. */
  readonly reachable: boolean;
}

/** What can be taken back is one click away; everything else is behind a menu. */
export const RowActions = memo(function RowActions({ row, reachable }: Props) {
  const { actions } = useConsole();
  const off = useActionsOff(targetOf(row));
  const name = visibleLine(row.name);
  const tabIndex = reachable ? 0 : -1;
  if (row.actions.length === 0) return null;
  return (
    <div className="hf-row-actions">
      {row.actions.filter(isOneClick).map((action) => (
        <Button
          key={action}
          variant="minimal"
          size="small"
          icon={<ActionIcon action={action} />}
          aria-label={`${ACTION_TABLE[action].label}: ${name}`}
          title={ACTION_TABLE[action].label}
          disabled={off}
          tabIndex={tabIndex}
          onClick={() => actions.choose(row, action)}
        />
      ))}
      <MoreActions row={row} name={name} disabled={off} tabIndex={tabIndex} />
    </div>
  );
});

interface MoreProps {
  readonly row: ProcessRow;
  readonly name: string;
  readonly disabled: boolean;
  readonly tabIndex: number;
}

function MoreActions({ row, name, disabled, tabIndex }: MoreProps) {
  const { actions } = useConsole();
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  const item = (action: Action) => {
    const { danger } = ACTION_TABLE[action];
    return (
      <MenuItem
        key={action}
        icon={<ActionIcon action={action} />}
        text={buttonText(action)}
        {...(danger ? { intent: 'danger' as const } : {})}
        shouldDismissPopover={false}
        onClick={() => {
          // The button has the focus before a question opens, so that the question gives it back to something.
          close();
          actions.choose(row, action);
        }}
      />
    );
  };
  // A popover for each of five hundred rows would be dear: it is there while it is open, and the button always.
  return (
    <span className="hf-menu-room">
      <Button
        ref={button}
        variant="minimal"
        size="small"
        icon={<More />}
        aria-label={`All actions: ${name}`}
        aria-haspopup="menu"
        aria-expanded={open}
        title="All actions"
        disabled={disabled}
        tabIndex={tabIndex}
        onClick={() => (open ? close() : setOpen(true))}
      />
      {open && !disabled && (
        <PopoverNext
          isOpen
          placement="bottom-end"
          arrow={false}
          animation="minimal"
          autoFocus={false}
          enforceFocus={false}
          shouldReturnFocusOnClose={false}
          onInteraction={(next, event) => {
            // Pressing the button again is the button's own affair; a press elsewhere takes the focus there.
            const inButton = event?.target instanceof Node && button.current?.contains(event.target);
            if (!next && inButton !== true) setOpen(false);
          }}
          renderTarget={({ ref }) => <span ref={ref} className="hf-menu-anchor" />}
          content={
            <Menu
              aria-label={`Actions: ${name}`}
              ulRef={focusFirst}
              onKeyDownCapture={(event) => onMenuKey(event, close)}
              onKeyUp={onMenuKeyUp}
            >
              {row.actions.map(item)}
            </Menu>
          }
        />
      )}
    </span>
  );
}
