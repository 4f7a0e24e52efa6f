import { Button, InputGroup } from '@blueprintjs/core';
import { FolderOpen, Search } from '@blueprintjs/icons';
import { useEffect, useRef, type KeyboardEvent } from 'react';
import { useStore } from 'zustand';
import { useConsole, useFleet } from '../../app/console-context.ts';
import { FILTERS } from '../../stores/arrange.ts';
import { ApplyChanges } from '../../ui/apply-changes.tsx';
import { isTyping } from '../../ui/keys.ts';
import { counted } from '../../ui/numbers.ts';
import { EmptyView, FailedView, Skeleton } from '../../ui/state-of-view.tsx';
import { NewAgentLink } from '../manifests/new-agent-link.tsx';
import { OpenJournalButton } from '../journals/open-journal-button.tsx';
import { FleetCounts } from './fleet-counts.tsx';
import { FleetTable } from './fleet-table.tsx';
import { HoldTriggersButton } from './trigger-switch.tsx';
import { useFleetList } from './use-fleet-list.ts';

/** Every process of every open journal: what it does, or why it does not. */
export function FleetView() {
  const { fleet, fleetView } = useConsole();
  const phase = useFleet((state) => state.phase);
  const failure = useFleet((state) => state.failure);
  const journals = useFleet((state) => state.journals);
  const processes = useFleet((state) => state.processes);
  const view = useStore(fleetView);
  const list = useFleetList(view);

  if (phase === 'loading') {
    return (
      <section className="hf-view" aria-label="Fleet">
        <h1 className="hf-hidden">Fleet</h1>
        <Skeleton lines={8} label="Reading the fleet" />
      </section>
    );
  }
  if (phase === 'failed' && failure !== null) {
    return (
      <section className="hf-view" aria-label="Fleet">
        <h1 className="hf-hidden">Fleet</h1>
        <FailedView title="The fleet could not be read" failure={failure} onRetry={() => void fleet.read()} />
      </section>
    );
  }
  const total = Object.keys(processes).length;
  return (
    <section className="hf-view hf-view-fleet" aria-label="Fleet">
      <h1 className="hf-hidden">Fleet</h1>
      {total > 0 && (
        <div className="hf-toolbar">
          <FleetCounts processes={processes} chosen={view.filter} />
          <div className="hf-toolbar-end">
            <ApplyChanges changes={list.changes} apply={list.apply} />
            <NewAgentLink />
            <HoldTriggersButton />
            <FilterBox text={view.text} />
          </div>
        </div>
      )}
      {list.rows.length > 0 ? (
        <FleetTable list={list} journals={journals} sorting={view.sorting} selected={view.selected} />
      ) : (
        <NothingHere total={total} openJournals={journals.length} />
      )}
    </section>
  );
}

function FilterBox({ text }: { readonly text: string }) {
  const { fleetView } = useConsole();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    if (text === '') input.current?.blur();
    else fleetView.setState({ text: '' });
  };
  return (
    <InputGroup
      inputRef={input}
      type="search"
      size="small"
      leftIcon={<Search size={14} />}
      placeholder="Filter"
      aria-label="Filter by name, state or reason"
      aria-keyshortcuts="/"
      title="Filter by name, state or reason ( / )"
      value={text}
      onValueChange={(value) => fleetView.setState({ text: value })}
      onKeyDown={onKeyDown}
    />
  );
}

/** Says which of the two filters emptied the list, and takes it away. */
function NothingHere({ total, openJournals }: { readonly total: number; readonly openJournals: number }) {
  const { fleetView } = useConsole();
  const { text, filter } = useStore(fleetView);
  if (openJournals === 0) {
    return (
      <EmptyView
        title="No journal is open"
        icon={<FolderOpen size={28} />}
        action={<OpenJournalButton primary />}
      >
        <p>
          Open a journal directory to see its processes, or drop it on this window. Looking starts nothing and
          changes nothing.
        </p>
      </EmptyView>
    );
  }
  if (total === 0) {
    return (
      <EmptyView title="No process yet">
        <p>
          {openJournals === 1 ? 'The open journal holds' : 'The open journals hold'} no process. It appears
          here with its first entry.
        </p>
      </EmptyView>
    );
  }
  const word = FILTERS.find(({ id }) => id === filter)?.word;
  return (
    <EmptyView
      title={`None of ${counted(total, 'process', 'processes')} fits`}
      action={
        <div className="hf-buttons">
          {text !== '' && (
            <Button onClick={() => fleetView.setState({ text: '' })}>Clear the text “{text}”</Button>
          )}
          {word !== undefined && (
            <Button onClick={() => fleetView.setState({ filter: null })}>Show more than “{word}”</Button>
          )}
        </div>
      }
    >
      <p>
        {text !== '' && word !== undefined
          ? `Nothing that is “${word}” contains “${text}”.`
          : text !== ''
            ? `Nothing contains “${text}”.`
            : `Nothing is “${word ?? ''}” now.`}
      </p>
    </EmptyView>
  );
}
