import { Globe } from '@blueprintjs/icons';
import type { RewindPlanView } from '../../../core/contract/rewind-views.ts';
import { Bounded } from '../../ui/bounded.tsx';
import { CutText } from '../../ui/cut-text.tsx';
import { counted, countText } from '../../ui/numbers.ts';
import { ShownOf } from '../../ui/shown-of.tsx';
import { visibleLine } from '../../ui/visible-text.ts';

/** Of what was done: more is on hover. */
const MOST_SHOWN = 160;

type Fact = RewindPlanView['facts'][number];
type Kind = Exclude<Fact['kind'], 'effect'>;

/** How an effect ended; what nobody knows is called that [P5]. */
function endOf({ end }: Fact): { readonly word: string; readonly tone: string } {
  switch (end) {
    case null:
      return { word: 'outcome unknown', tone: 'hf-attention-text' };
    case 'done':
      return { word: 'happened', tone: 'hf-alarm-text' };
    case 'in_doubt':
      return { word: 'in doubt', tone: 'hf-attention-text' };
    case 'did_not_happen':
      return { word: 'did not happen', tone: 'hf-muted' };
    default:
      return { word: visibleLine(end), tone: '' };
  }
}

/** Those that touched the world stand before those that did not. */
const rank = ({ end }: Fact): number => (end === 'did_not_happen' ? 1 : 0);

/** What was done to the world after the target: no going back takes it back. */
export function StayingEffects({ plan: { facts, factCount, target } }: { readonly plan: RewindPlanView }) {
  const effects = facts.filter(({ kind }) => kind === 'effect').toSorted((a, b) => rank(a) - rank(b));
  const count = factCount.effect;
  if (count === 0) {
    return <p className="hf-plan-calm">No effect is on record after entry {countText(target.seq)}.</p>;
  }
  return (
    <section className="hf-callout hf-callout-alarm" aria-label="What stays done">
      <Globe className="hf-callout-icon" />
      <div className="hf-plan-stays">
        <p>
          <strong>
            {counted(count, 'effect')} after entry {countText(target.seq)} {count === 1 ? 'stays' : 'stay'} as{' '}
            {count === 1 ? 'it is' : 'they are'}.
          </strong>{' '}
          What touched the world is not taken back, and not done again: an invocation that asks for it once
          more gets what is on record. Where it asks with other arguments, it is in doubt, and you are asked,
          unless it is harmless to repeat.
        </p>
        <Bounded label="Effects that stay" className="hf-plan-room">
          <ul className="hf-plain hf-plan-facts">
            {effects.map((fact) => {
              const { word, tone } = endOf(fact);
              return (
                <li key={`${fact.seq} ${fact.text}`}>
                  <span className={`hf-plan-end ${tone}`}>{word}</span>
                  <CutText text={fact.text} room={MOST_SHOWN} />
                  <Where fact={fact} />
                </li>
              );
            })}
          </ul>
        </Bounded>
        <ShownOf shown={effects.length} of={count} what="effects" />
      </div>
    </section>
  );
}

const KINDS: readonly (readonly [kind: Kind, one: string])[] = [
  ['decision', 'decision'],
  ['message', 'message sent'],
  ['promise', 'promise settled'],
  ['timer', 'timer fired'],
  ['event', 'event accepted'],
];
const MANY: Readonly<Record<Kind, string>> = {
  decision: 'decisions',
  message: 'messages sent',
  promise: 'promises settled',
  timer: 'timers fired',
  event: 'events accepted',
};

/** Whatever else happened after the target and is not undone, by kind. */
export function StayingFacts({ plan: { facts, factCount } }: { readonly plan: RewindPlanView }) {
  const kinds = KINDS.filter(([kind]) => factCount[kind] > 0);
  if (kinds.length === 0) return null;
  return (
    <section aria-label="What also stays">
      <h3>Also stays as it is</h3>
      {kinds.map(([kind, one]) => {
        const listed = facts.filter((fact) => fact.kind === kind);
        return (
          <details key={kind}>
            <summary>{counted(factCount[kind], one, MANY[kind])}</summary>
            <Bounded label={MANY[kind]} className="hf-plan-room">
              <ul className="hf-plain hf-plan-facts">
                {listed.map((fact) => (
                  <li key={`${fact.seq} ${fact.text}`}>
                    <CutText text={fact.text} room={MOST_SHOWN} />
                    {fact.end !== null && <span className="hf-muted">{visibleLine(fact.end)}</span>}
                    <Where fact={fact} />
                  </li>
                ))}
              </ul>
            </Bounded>
            <ShownOf shown={listed.length} of={factCount[kind]} what={MANY[kind]} />
          </details>
        );
      })}
    </section>
  );
}

function Where({ fact: { seq, eventId } }: { readonly fact: Fact }) {
  return (
    <span className="hf-muted">
      entry {countText(seq)}
      {eventId !== null && (
        <>
          , event <CutText text={eventId} room={20} />
        </>
      )}
    </span>
  );
}
