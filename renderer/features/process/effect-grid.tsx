import { ChevronRight } from '@blueprintjs/icons';
import { useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import { flushSync } from 'react-dom';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { CutText } from '../../ui/cut-text.tsx';
import { FactList } from '../../ui/fact-list.tsx';
import { jsonLines } from '../../ui/json-lines.ts';
import { countText } from '../../ui/numbers.ts';
import { EffectSaid } from '../../ui/said.tsx';
import { Ago } from '../../ui/time-text.tsx';
import type { HeldListeners } from '../../ui/use-held-order.ts';
import { useRowWindow } from '../../ui/use-row-window.ts';
import { visibleBlock, visibleLine } from '../../ui/visible-text.ts';
import { endLook } from '../../ui/work-look.ts';
import { WorkMark } from '../../ui/work-mark.tsx';
import { AnswerButtons } from './doubt-answers.tsx';
import type { LedgerRow } from './ledger.ts';
import { MaybePaid, MaybePaidStory } from './maybe-paid.tsx';

/** Rows are drawn where they belong, so that ten thousand cost what the window shows. */
const ROW_PX = 44;

const HEADS = ['Effect', 'End', 'Arguments', 'Key', 'Attempts', 'Announced'] as const;

interface Props {
  readonly rows: readonly LedgerRow[];
  readonly process: ProcessRow;
  /** Of what holds the order of the rows. */
  readonly listeners: HeldListeners;
}

export function EffectGrid({ rows, process, listeners }: Props) {
  const body = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState<string | null>(null);
  const [opened, setOpened] = useState<string | null>(null);
  /** What the opened row takes beyond a row. */
  const [extra, setExtra] = useState(0);
  const { from, to } = useRowWindow(body);

  const openedAt = rows.findIndex(({ effectId }) => effectId === opened);
  const more = openedAt < 0 ? 0 : extra;
  const topOf = (at: number): number => at * ROW_PX + (openedAt >= 0 && at > openedAt ? more : 0);
  const currentAt = Math.max(
    0,
    rows.findIndex(({ effectId }) => effectId === current),
  );
  // The one that has the focus is drawn wherever it is: a row that goes takes the focus with it.
  const drawn = rows
    .map((row, at) => ({ row, at }))
    .filter(({ at }) => at === currentAt || (topOf(at + 1) > from && topOf(at) < to));

  const toggle = (id: string): void => {
    setExtra(0);
    setOpened(opened === id ? null : id);
  };
  const go = (at: number): void => {
    const next = rows[at];
    if (next === undefined) return;
    // Drawn before it gets the focus, wherever it is.
    flushSync(() => setCurrent(next.effectId));
    const row = body.current?.querySelector<HTMLElement>('[data-current="true"]');
    row?.focus();
    row?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    listeners.onKeyDown();
    const onRow = event.target instanceof HTMLElement && event.target.dataset['current'] !== undefined;
    if (!onRow || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = stepFor(event.key, currentAt, rows.length);
    if (step !== null) go(step);
    else if (event.key === 'Enter' || event.key === ' ') toggle(rows[currentAt]!.effectId);
    else return;
    event.preventDefault();
  };

  return (
    <div
      className="hf-effect-grid"
      role="grid"
      aria-label="Effects"
      aria-rowcount={rows.length + 1}
      aria-colcount={HEADS.length}
      {...listeners}
      onKeyDown={onKeyDown}
    >
      <div role="rowgroup" className="hf-effect-heads">
        <div role="row" aria-rowindex={1} className="hf-effect-row hf-effect-head">
          {HEADS.map((head) => (
            <span key={head} role="columnheader" className={`hf-col-${head.toLowerCase()}`}>
              {head}
            </span>
          ))}
        </div>
      </div>
      <div
        role="rowgroup"
        ref={body}
        className="hf-effect-body"
        style={{ blockSize: rows.length * ROW_PX + more }}
      >
        {drawn.map(({ row, at }) => (
          <EffectRow
            key={row.effectId}
            row={row}
            at={at}
            top={topOf(at)}
            process={process}
            current={at === currentAt}
            opened={at === openedAt}
            onFocus={() => setCurrent(row.effectId)}
            onToggle={() => toggle(row.effectId)}
            onGrown={setExtra}
          />
        ))}
      </div>
    </div>
  );
}

/** Where a key leads from a row, or null where it leads nowhere. */
export function stepFor(key: string, at: number, count: number): number | null {
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return Math.min(at + 1, count - 1);
    case 'ArrowUp':
    case 'k':
      return Math.max(at - 1, 0);
    case 'Home':
    case 'g':
      return 0;
    case 'End':
    case 'G':
      return count - 1;
    default:
      return null;
  }
}

const unknown = <span className="hf-muted">unknown</span>;

interface RowProps {
  readonly row: LedgerRow;
  readonly at: number;
  readonly top: number;
  readonly process: ProcessRow;
  readonly current: boolean;
  readonly opened: boolean;
  readonly onFocus: () => void;
  readonly onToggle: () => void;
  readonly onGrown: (px: number) => void;
}

function EffectRow({ row, at, top, process, current, opened, onFocus, onToggle, onGrown }: RowProps) {
  const name = visibleLine(row.name);
  const look = endLook({ end: row.end, needsOperator: false });
  return (
    <div
      role="row"
      aria-rowindex={at + 2}
      aria-label={`${name}, ${look.word}`}
      tabIndex={current ? 0 : -1}
      data-current={current}
      className={opened ? 'hf-effect-item hf-effect-item-open' : 'hf-effect-item'}
      style={{ insetBlockStart: top }}
      onFocus={onFocus}
    >
      <div className="hf-effect-row" style={{ blockSize: ROW_PX }} role="presentation" onClick={onToggle}>
        <span role="gridcell" className="hf-col-effect">
          {/* Enter on the row does the same; the press itself is the row's affair. */}
          <button
            type="button"
            tabIndex={-1}
            className="hf-row-toggle"
            aria-expanded={opened}
            aria-label={`Details of ${name}`}
          >
            <ChevronRight size={12} className="hf-chevron" />
          </button>
          <span className="hf-effect-name">
            <code className="hf-mono" title={name}>
              {name}
            </code>
            <span className="hf-second">
              {row.effectClass === null ? 'class unknown' : visibleLine(row.effectClass)}
              <MaybePaid calls={row.open?.effect.maybePaid ?? 0} />
            </span>
          </span>
        </span>
        <span role="gridcell" className="hf-col-end">
          <WorkMark look={look} />
        </span>
        <span role="gridcell" className="hf-col-arguments">
          {row.argsPreview === null ? (
            unknown
          ) : (
            <code className="hf-mono">{visibleLine(row.argsPreview)}</code>
          )}
        </span>
        <span role="gridcell" className="hf-col-key">
          {row.key === null ? unknown : <CutText text={row.key} room={16} />}
        </span>
        <span role="gridcell" className="hf-col-attempts">
          {row.attempts === null ? unknown : countText(row.attempts)}
        </span>
        <span role="gridcell" className="hf-col-announced">
          {row.announcedAt === null ? unknown : <Ago at={row.announcedAt} suffix=" ago" />}
        </span>
      </div>
      {opened && <EffectDetail row={row} process={process} name={name} onGrown={onGrown} />}
    </div>
  );
}

const THEN: Readonly<Record<string, string>> = {
  retry: ' It is harmless, so it is performed again.',
  idempotent: ' It is performed again with the same key.',
  reconcile: ' Whoever it was done with is asked.',
};

/** What becomes of an effect without a certain end. */
function doubtStory({ open, effectClass }: LedgerRow): string {
  if (open === null) return 'No certain end of it is recorded, and its invocation is over.';
  if (open.effect.needsOperator) return 'Whether it happened is unknown, and only you can say.';
  return `Whether it happened is unknown.${THEN[effectClass ?? ''] ?? ''}`;
}

interface DetailProps {
  readonly row: LedgerRow;
  readonly process: ProcessRow;
  readonly name: string;
  readonly onGrown: (px: number) => void;
}

function EffectDetail({ row, process, name, onGrown }: DetailProps) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const measure = (): void => onGrown(element.offsetHeight);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [onGrown]);
  return (
    <div ref={box} role="gridcell" aria-colspan={HEADS.length} className="hf-effect-detail">
      <pre className="hf-mono hf-block hf-args" tabIndex={0} aria-label={`Arguments of ${name}`}>
        {row.argsPreview === null
          ? 'Unknown: it was announced before the entries that were read.'
          : visibleBlock(jsonLines(row.argsPreview))}
      </pre>
      {row.end === 'in_doubt' && <p>{doubtStory(row)}</p>}
      <EffectSaid effect={row.open?.effect ?? { error: row.error, isValueLost: false }} />
      <MaybePaidStory calls={row.open?.effect.maybePaid ?? 0} />
      <FactList
        className="hf-facts-wide"
        facts={[
          [
            'Key',
            row.key === null ? (
              unknown
            ) : (
              <>
                <code className="hf-mono hf-block">{visibleLine(row.key)}</code>
                <CopyButton text={row.key} label={`Copy the key of ${name}`} />
              </>
            ),
          ],
          [
            'Invocation',
            <>
              {row.open === null ? 'ended' : `${countText(row.open.invocation)}, open`}
              {row.eventId !== '' && (
                <>
                  {' '}
                  · event <CutText text={row.eventId} room={40} />
                </>
              )}
            </>,
          ],
        ]}
      />
      {row.open?.effect.needsOperator === true && (
        <div className="hf-buttons" role="group" aria-label={`Answers: ${name}`}>
          <AnswerButtons row={process} effect={row.open.effect} />
        </div>
      )}
    </div>
  );
}
