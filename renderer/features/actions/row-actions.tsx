import { Button } from '@blueprintjs/core';
import { More } from '@blueprintjs/icons';
import { memo } from 'react';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import { useActionsOff, useConsole } from '../../app/console-context.ts';
import { ACTION_TABLE, buttonText, isOneClick } from '../../stores/action-table.ts';
import { targetOf } from '../../stores/target.ts';
import { MenuButton } from '../../ui/menu-button.tsx';
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
      <MenuButton
        label={`All actions: ${name}`}
        menuLabel={`Actions: ${name}`}
        title="All actions"
        icon={<More />}
        disabled={off}
        tabIndex={tabIndex}
        choices={row.actions.map((action) => ({
          key: action,
          text: buttonText(action),
          icon: <ActionIcon action={action} />,
          danger: ACTION_TABLE[action].danger,
          choose: () => actions.choose(row, action),
        }))}
      />
    </div>
  );
});
