import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import type { InvocationView } from '../../../core/contract/work-views.ts';
import { Bounded } from '../../ui/bounded.tsx';
import { counted } from '../../ui/numbers.ts';
import { SectionHead } from '../../ui/section-head.tsx';
import { Ago, Until } from '../../ui/time-text.tsx';
import { visibleBlock, visibleLine } from '../../ui/visible-text.ts';
import { endLook, endOf, standingLook } from '../../ui/work-look.ts';
import { WorkMark } from '../../ui/work-mark.tsx';
import { MaybePaid } from './maybe-paid.tsx';
import { WaitsFor } from './open-invocations.tsx';

/** The newest of each turn; all of them are in a tab of their own. */
const MOST_EFFECTS = 12;

/** What goes on while an answer is made: it is there from the first effect of a turn to its end, and moves nothing meanwhile. */
export function LiveTurn({ detail: { open, saying } }: { readonly detail: ProcessDetail }) {
  const turns = open.filter(({ effects }) => effects.length > 0);
  if (turns.length === 0 && saying === null) return null;
  return (
    <section aria-label="Turn under way">
      <SectionHead title="Turn under way" />
      <div className="hf-live-turn">
        <p className="hf-live-now">
          {/* Said aloud is what it does, not each word that comes, nor the seconds. */}
          <span role="status">{doing(turns, saying)}</span>
          <Since turns={turns} saying={saying} />
        </p>
        {(saying !== null || turns.some(isAtWork)) && (
          <Bounded label="What the model says" className="hf-live-said">
            {/* Laid out from its end, so that the newest is in sight. */}
            <div>{saying === null ? '' : visibleBlock(saying.text)}</div>
          </Bounded>
        )}
        {turns.map((turn) => (
          <TurnEffects key={turn.eventId} turn={turn} />
        ))}
      </div>
    </section>
  );
}

/** While somebody or something else is waited for, nothing is to be seen of the model. */
function isAtWork({ standing }: InvocationView): boolean {
  return standing === 'running' || standing === 'ready';
}

function doing(turns: readonly InvocationView[], saying: ProcessDetail['saying']): string {
  if (saying !== null) {
    return saying.waitText === null ? `Asking ${visibleLine(saying.model)}` : visibleLine(saying.waitText);
  }
  const turn = turns.at(-1);
  if (turn === undefined) return '';
  const performed = turn.effects.findLast((effect) => endOf(effect) === 'open');
  if (turn.standing !== 'running') return standingLook(turn.standing).word;
  return performed === undefined ? 'Going on' : `Performing ${visibleLine(performed.name)}`;
}

interface SinceProps {
  readonly turns: readonly InvocationView[];
  readonly saying: ProcessDetail['saying'];
}

/** Since when, or until when: it ticks, and stands outside of what is said aloud. */
function Since({ turns, saying }: SinceProps) {
  const turn = turns.at(-1);
  return (
    <span className="hf-muted">
      {saying === null ? (
        turn !== undefined && turn.standing !== 'running' && <WaitsFor invocation={turn} />
      ) : saying.waitUntil === null ? (
        <>
          for <Ago at={saying.since} long />
        </>
      ) : (
        <Until at={saying.waitUntil} />
      )}
    </span>
  );
}

function TurnEffects({ turn }: { readonly turn: InvocationView }) {
  const more = turn.effectCount - MOST_EFFECTS;
  return (
    <ol className="hf-plain hf-live-effects" aria-label={`Effects of invocation ${turn.invocation}`}>
      {more > 0 && <li className="hf-muted">{counted(more, 'effect')} before</li>}
      {turn.effects.slice(-MOST_EFFECTS).map((effect) => (
        <li key={effect.effectId}>
          <code className="hf-mono">{visibleLine(effect.name)}</code>
          <span>
            <WorkMark look={endLook(effect)} />
            <MaybePaid calls={effect.maybePaid} />
          </span>
        </li>
      ))}
    </ol>
  );
}
