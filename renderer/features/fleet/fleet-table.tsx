import { CaretDown, CaretUp } from '@blueprintjs/icons';
import { useCallback, useMemo, useRef, type KeyboardEvent } from 'react';
import type { JournalView } from '../../../core/contract/fleet-views.ts';
import { useConsole } from '../../app/console-context.ts';
import { groupRows, nextSorting, type Group, type SortColumn, type Sorting } from '../../stores/arrange.ts';
import { CutText } from '../../ui/cut-text.tsx';
import { counted } from '../../ui/numbers.ts';
import { visibleLine } from '../../ui/visible-text.ts';
import { FleetRow } from './fleet-row.tsx';
import { useFleetKeys } from './use-fleet-keys.ts';
import type { FleetList } from './use-fleet-list.ts';

const COLUMNS: readonly { readonly id: string; readonly name: string; readonly sort?: SortColumn }[] = [
  { id: 'name', name: 'Name', sort: 'name' },
  { id: 'state', name: 'State', sort: 'state' },
  { id: 'why', name: 'Why, or doing now' },
  { id: 'budget', name: 'Budget', sort: 'budget' },
  { id: 'health', name: 'Health', sort: 'health' },
  { id: 'last', name: 'Last entry', sort: 'last' },
  { id: 'restarts', name: 'Restarts', sort: 'restarts' },
  { id: 'actions', name: 'Actions' },
];

interface Props {
  readonly list: FleetList;
  readonly journals: readonly JournalView[];
  readonly sorting: Sorting;
  readonly selected: string | null;
}

export function FleetTable({ list, journals, sorting, selected }: Props) {
  const table = useRef<HTMLTableElement>(null);
  const focusRow = useCallback((key: string) => {
    const row = table.current?.querySelector<HTMLElement>(`tr[data-key="${CSS.escape(key)}"]`);
    row?.focus();
    row?.scrollIntoView({ block: 'nearest' });
  }, []);
  const groups = useMemo(() => groupRows(list.rows, journals), [list.rows, journals]);
  const keys = groups.flatMap(({ rows }) => rows.map((row) => row.key));
  const onKey = useFleetKeys(keys, selected, focusRow);
  const current = selected !== null && keys.includes(selected) ? selected : (keys[0] ?? null);
  const { onKeyDown, ...listeners } = list.listeners;
  const onTableKey = (event: KeyboardEvent): void => {
    onKeyDown();
    onKey(event);
  };
  return (
    <div className="hf-table-room">
      <table
        ref={table}
        role="grid"
        aria-label="Processes"
        aria-rowcount={keys.length + 1}
        aria-colcount={COLUMNS.length}
        className="hf-fleet"
        {...listeners}
        onKeyDown={onTableKey}
      >
        <thead role="rowgroup">
          <tr role="row">
            {COLUMNS.map(({ id, name, sort }) => (
              <ColumnHead key={id} id={id} name={name} sort={sort ?? null} sorting={sorting} />
            ))}
          </tr>
        </thead>
        {groups.map((group) => (
          <tbody key={group.journal.id} role="rowgroup">
            {journals.length > 1 && <GroupHead group={group} />}
            {group.rows.map(({ key }) => (
              <FleetRow key={key} id={key} current={key === current} selected={key === selected} />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

interface HeadProps {
  readonly id: string;
  readonly name: string;
  readonly sort: SortColumn | null;
  readonly sorting: Sorting;
}

function ColumnHead({ id, name, sort, sorting }: HeadProps) {
  const { fleetView } = useConsole();
  const className = `hf-head-${id}`;
  if (sort === null) {
    return (
      <th role="columnheader" scope="col" className={className}>
        <span className={id === 'actions' ? 'hf-hidden' : ''}>{name}</span>
      </th>
    );
  }
  const sorted = sorting.column === sort;
  const direction = sorting.descending ? 'descending' : 'ascending';
  return (
    <th role="columnheader" scope="col" className={className} aria-sort={sorted ? direction : 'none'}>
      <button
        type="button"
        onClick={() => fleetView.setState((state) => ({ sorting: nextSorting(state.sorting, sort) }))}
      >
        {name}
        {sorted && (sorting.descending ? <CaretDown size={12} /> : <CaretUp size={12} />)}
      </button>
    </th>
  );
}

function GroupHead({ group: { journal, rows } }: { readonly group: Group }) {
  return (
    <tr role="row" className="hf-group">
      <th role="rowheader" scope="rowgroup" colSpan={COLUMNS.length}>
        <span className="hf-group-title">{visibleLine(journal.title)}</span>
        <span className={`hf-access hf-access-${journal.access}`}>
          {journal.access === 'live' ? 'live' : 'read-only'}
        </span>
        <span className="hf-muted">{counted(rows.length, 'process', 'processes')}</span>
        <span className="hf-muted hf-group-path">
          <CutText text={journal.directory} room={56} />
        </span>
        {journal.note !== '' && <span className="hf-muted hf-group-note">{visibleLine(journal.note)}</span>}
      </th>
    </tr>
  );
}
