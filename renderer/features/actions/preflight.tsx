import { Button } from '@blueprintjs/core';
import { Refresh } from '@blueprintjs/icons';
import type { PreviewView } from '../../../core/contract/preview-view.ts';
import { CutText } from '../../ui/cut-text.tsx';
import { FactList, type Fact } from '../../ui/fact-list.tsx';
import { counted, countText } from '../../ui/numbers.ts';
import { Written } from '../../ui/said.tsx';
import { ShownOf } from '../../ui/shown-of.tsx';
import { Ago } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { workerText } from '../../ui/worker-text.ts';

interface Props {
  readonly preview: PreviewView;
  /** When it was looked at. */
  readonly at: string;
  readonly looking: boolean;
  readonly onLookAgain: () => void;
}

/** What the host would find and do, as of a moment that is named. */
export function Preflight({ preview, at, looking, onLookAgain }: Props) {
  return (
    <section className="hf-preflight" aria-label="What it will do">
      <header>
        <h3>What it will do</h3>
        <span className="hf-muted">
          as of <Ago at={at} long suffix=" ago" />
        </span>
        <Button
          variant="minimal"
          size="small"
          icon={<Refresh size={12} />}
          disabled={looking}
          onClick={onLookAgain}
        >
          Look again
        </Button>
      </header>
      {preview.steps.length === 0 ? (
        <p className="hf-muted">Nothing is under way and nothing waits, so nothing follows from it.</p>
      ) : (
        <ol className="hf-consequences">
          {/* Several effects of one name make the same sentence. */}
          {preview.steps.map((step, at) => (
            <li key={`${at} ${step}`}>{visibleLine(step)}</li>
          ))}
        </ol>
      )}
      {preview.doubts.length > 0 && <Doubts preview={preview} />}
      <FactList className="hf-preflight-facts" facts={factsOf(preview)} />
    </section>
  );
}

function factsOf(preview: PreviewView): readonly Fact[] {
  const { lastSeq, lastEntryAt, invocations, effectsReadBack, timersDue, queued, deadLetters, worker } =
    preview;
  return [
    [
      'Last entry',
      <>
        {countText(lastSeq)}
        {lastEntryAt !== null && (
          <>
            , <Ago at={lastEntryAt} long suffix=" ago" />
          </>
        )}
      </>,
    ],
    [
      'Unfinished',
      invocations === 0
        ? 'nothing'
        : `${counted(invocations, 'invocation')}, ${counted(effectsReadBack, 'effect')} to read back`,
    ],
    ['Timers due', countText(timersDue)],
    ['Queue', `${counted(queued, 'event')}, ${counted(deadLetters, 'dead letter')}`],
    ['Old worker', worker === null ? 'none' : workerText(worker)],
    [
      'Holds that stay',
      preview.holdsThatStay.length === 0 ? 'none' : preview.holdsThatStay.map(visibleLine).join(' · '),
    ],
  ];
}

function Doubts({ preview: { doubts, doubtCount } }: { readonly preview: PreviewView }) {
  return (
    <div className="hf-preflight-doubts">
      <h3>{counted(doubtCount, 'effect')} without an outcome</h3>
      <ul className="hf-plain">
        {doubts.map((doubt) => (
          <li key={doubt.effectId}>
            <div className="hf-preflight-doubt">
              <code className="hf-mono hf-desk-title">{visibleLine(doubt.name)}</code>
              <span className={doubt.next === 'asked of you' ? 'hf-then hf-then-you' : 'hf-then'}>
                {doubt.next}
              </span>
            </div>
            <Written text={doubt.argsPreview} />
            <div className="hf-muted">
              class {visibleLine(doubt.effectClass)} · key <CutText text={doubt.key} room={48} />
            </div>
          </li>
        ))}
      </ul>
      <ShownOf shown={doubts.length} of={doubtCount} what="effects, with all that are asked of you" />
    </div>
  );
}
