import { Button, Menu, MenuItem, PopoverNext } from '@blueprintjs/core';
import { More } from '@blueprintjs/icons';
import { memo, useState } from 'react';
import type { Action, ProcessRow } from '../../../core/contract/views.ts';
import { useActionsOff, useConsole } from '../../app/console-context.ts';
import { ACTION_TABLE } from '../../stores/action-table.ts';
import { targetOf } from '../../stores/target.ts';
import { visibleLine } from '../../ui/visible-text.ts';
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
      {row.actions
        .filter((action) => ACTION_TABLE[action].confirming === 'none')
        .map((action) => (
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
  // A popover for each of five hundred rows would be dear: it comes into being at the first click.
  const [wanted, setWanted] = useState(false);
  const button = (onClick?: () => void) => (
    <Button
      variant="minimal"
      size="small"
      icon={<More />}
      aria-label={`All actions: ${name}`}
      title="All actions"
      disabled={disabled}
      tabIndex={tabIndex}
      {...(onClick === undefined ? {} : { onClick })}
    />
  );
  if (!wanted) return button(() => setWanted(true));
  const item = (action: Action) => {
    const { label, confirming } = ACTION_TABLE[action];
    return (
      <MenuItem
        key={action}
        icon={<ActionIcon action={action} />}
        text={confirming === 'none' ? label : `${label}…`}
        {...(confirming === 'full' ? { intent: 'danger' as const } : {})}
        onClick={() => actions.choose(row, action)}
      />
    );
  };
  return (
    <PopoverNext
      defaultIsOpen
      placement="bottom-end"
      arrow={false}
      animation="minimal"
      content={<Menu aria-label={`Actions: ${name}`}>{row.actions.map(item)}</Menu>}
    >
      {button()}
    </PopoverNext>
  );
}
