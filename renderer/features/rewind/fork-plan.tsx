import type { ForkPlanView } from '../../../core/contract/rewind-views.ts';
import { CutText } from '../../ui/cut-text.tsx';
import { FactList } from '../../ui/fact-list.tsx';
import { counted, countText } from '../../ui/numbers.ts';
import { ShownOf } from '../../ui/shown-of.tsx';
import { visibleLine } from '../../ui/visible-text.ts';

/** What the new process begins with, and what it does not get. */
export function ForkPlan({ plan }: { readonly plan: ForkPlanView }) {
  const { at, contextKeys, conversation, left } = plan;
  const from = visibleLine(plan.from);
  const behind = [
    left.queue > 0 && counted(left.queue, 'queued event'),
    left.inbox > 0 && counted(left.inbox, 'inbox message'),
    left.promises > 0 && counted(left.promises, 'promise'),
    left.timers > 0 && counted(left.timers, 'timer'),
  ].filter((text) => text !== false);
  return (
    <section className="hf-plan" aria-label="What it begins with">
      <FactList
        className="hf-facts-wide"
        facts={[
          [
            'Begins with',
            `${counted(contextKeys, 'key')} of the state and ${counted(conversation, 'message')} of the conversation, as of entry ${countText(at)}`,
          ],
          ['Stays behind', behind.length === 0 ? 'nothing' : `${behind.join(' · ')}, with ${from} alone`],
          ['Goes on with', <Unfinished key="unfinished" plan={plan} />],
        ]}
      />
    </section>
  );
}

function Unfinished({ plan: { from, unfinished, unfinishedCount } }: { readonly plan: ForkPlanView }) {
  if (unfinishedCount === 0) return <>no invocation: none was under way there</>;
  const isOne = unfinishedCount === 1;
  return (
    <>
      {counted(unfinishedCount, 'invocation')} that {isOne ? 'was' : 'were'} under way, once it is resumed.{' '}
      {visibleLine(from)} goes on with {isOne ? 'it' : 'them'} too: what is not on record at that entry may be
      done by both, under the same keys.
      <ul className="hf-plain">
        {unfinished.map(({ eventId, effects }) => (
          <li key={eventId}>
            event <CutText text={eventId} room={32} />
            <span className="hf-muted"> · {counted(effects, 'effect')} on record</span>
          </li>
        ))}
      </ul>
      <ShownOf shown={unfinished.length} of={unfinishedCount} what="invocations" />
    </>
  );
}
