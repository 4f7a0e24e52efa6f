import { Button, InputGroup } from '@blueprintjs/core';
import { Search } from '@blueprintjs/icons';
import { useState, type FormEvent } from 'react';
import type { MemoryPage } from '../../../core/contract/memory-views.ts';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import { useAnswersOff, useConsole } from '../../app/console-context.ts';
import { targetOf } from '../../stores/target.ts';
import { FailureCode } from '../../ui/failure-text.tsx';
import { counted, countText } from '../../ui/numbers.ts';
import { SectionHead } from '../../ui/section-head.tsx';
import { Skeleton } from '../../ui/state-of-view.tsx';
import { visibleBlock, visibleLine } from '../../ui/visible-text.ts';
import { MemoryRecord } from './memory-record.tsx';
import { useMemory } from './use-memory.ts';

const MOST_SHOWN = 200;

interface Props {
  readonly detail: ProcessDetail;
  /** Shows the entries of an invocation. */
  readonly onEvent: (eventId: string) => void;
}

/** What the agent remembers beside its conversation: searched, mended and forgotten. */
export function MemoryTab({ detail: { row, memory }, onEvent }: Props) {
  const { actions } = useConsole();
  const off = useAnswersOff(row);
  const shown = useMemory(targetOf(row), row.invocations);
  const [entered, setEntered] = useState('');
  const { page, failure, text } = shown;
  if (memory === null) return null;
  const ask = (order: 'add' | 'forget-all' | 'repair'): void =>
    actions.ask({ kind: 'memory', order, row, memory, record: null });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    shown.search(entered);
  };
  return (
    <section aria-label="Memory" className="hf-memory">
      <SectionHead title="Memory" shown={page?.records.length ?? 0} of={text === '' ? (page?.count ?? 0) : 0}>
        <div className="hf-buttons">
          <Button size="small" disabled={off} onClick={() => ask('add')}>
            Add…
          </Button>
          <Button
            size="small"
            intent="danger"
            variant="outlined"
            disabled={off || page === null || page.count === 0}
            onClick={() => ask('forget-all')}
          >
            Forget all…
          </Button>
        </div>
      </SectionHead>
      {page !== null && <About page={page} />}
      <form role="search" className="hf-memory-search" onSubmit={submit}>
        <InputGroup
          type="search"
          leftIcon={<Search size={14} />}
          aria-label="Search what is remembered"
          placeholder="What is it about?"
          value={entered}
          maxLength={4_000}
          onValueChange={(value) => {
            setEntered(value);
            if (value === '' && text !== '') shown.search('');
          }}
        />
        <Button type="submit" loading={shown.isReading && page !== null}>
          Search
        </Button>
      </form>
      {failure !== null && (
        <div className="hf-refused" role="alert">
          <div className="hf-block">
            <strong>The memory could not be read.</strong>{' '}
            <span className="hf-alarm-text">{visibleBlock(failure.message)}</span>
          </div>
          <FailureCode code={failure.code} message={failure.message} />
          <div className="hf-buttons">
            <Button size="small" onClick={shown.again}>
              Try again
            </Button>
            {failure.code === 'memory.damaged' && (
              <Button size="small" disabled={off} onClick={() => ask('repair')}>
                Repair…
              </Button>
            )}
          </div>
        </div>
      )}
      {page === null && failure === null && <Skeleton lines={5} label="Reading the memory" />}
      {page !== null && (
        <>
          <p role="status" className="hf-muted hf-memory-count">
            {foundText(page, text)}
          </p>
          {page.records.length > 0 && (
            <ul className="hf-plain hf-letters" aria-label="Records">
              {page.records.map((record) => (
                <MemoryRecord key={record.id} row={row} memory={memory} record={record} onEvent={onEvent} />
              ))}
            </ul>
          )}
          {text === '' && page.records.length < Math.min(page.count, MOST_SHOWN) && (
            <Button size="small" loading={shown.isReading} onClick={shown.more}>
              Load older
            </Button>
          )}
          {text === '' && page.count > MOST_SHOWN && page.records.length >= MOST_SHOWN && (
            <p className="hf-muted">These are the newest {countText(MOST_SHOWN)}. Search for the others.</p>
          )}
        </>
      )}
    </section>
  );
}

function About({
  page: { collection, userId, readsAlso, provider, isStoredByItself },
}: {
  readonly page: MemoryPage;
}) {
  return (
    <p className="hf-muted">
      <span className="hf-mono">{visibleLine(collection)}</span> of{' '}
      <span className="hf-mono">{visibleLine(userId)}</span>
      {readsAlso.length > 0 && (
        <>, which also reads what {readsAlso.map(visibleLine).join(' and ')} has there</>
      )}
      {' · '}
      {provider === 'in_memory'
        ? 'in memory: it is forgotten when the host ends'
        : 'kept in a file of the workspace'}
      {' · '}
      {isStoredByItself
        ? 'each turn is remembered by itself'
        : 'only what the agent or you store is remembered'}
    </p>
  );
}

function foundText({ records, count }: MemoryPage, text: string): string {
  if (text === '') {
    return count === 0 ? 'Nothing is remembered yet.' : `${counted(count, 'record')}, newest first.`;
  }
  return records.length === 0
    ? `Nothing of that is remembered, in ${counted(count, 'record')}.`
    : `${counted(records.length, 'record')} of ${countText(count)}, best first.`;
}
