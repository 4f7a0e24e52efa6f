import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import type { EffectView } from '../../../core/contract/work-views.ts';
import { FactList, type Fact } from '../../ui/fact-list.tsx';
import { counted, countText } from '../../ui/numbers.ts';
import { EffectSaid } from '../../ui/said.tsx';
import { ShownOf } from '../../ui/shown-of.tsx';
import { lookOf } from '../../ui/state-look.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { Ago } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { workerOf } from '../../ui/worker-text.ts';

/** What killing the worker means, in sentences, from what is open in the process. Pure. */
export function consequencesOf(detail: ProcessDetail): readonly string[] {
  const { worker } = detail.row;
  const effects = detail.open.flatMap((invocation) => invocation.effects);
  const done = effects.filter(({ end }) => end === 'done' || end === 'did_not_happen').length;
  const unknown = effects.filter(({ end }) => end === 'open' || end === 'in_doubt');
  const asked = unknown.filter(
    ({ effectClass }) => effectClass !== 'retry' && effectClass !== 'idempotent',
  ).length;
  const repeated = unknown.length - asked;
  const { open } = detail.counts;
  const isCut =
    detail.open.length < open ||
    detail.open.some(({ effectCount, effects: told }) => told.length < effectCount);
  // Of a list that is cut, nobody here knows how many more there are of a kind.
  const some = (count: number): string => `${isCut ? 'At least ' : ''}${counted(count, 'effect')}`;
  const killed =
    worker === null
      ? 'No worker runs now; if one has started meanwhile, it ends at once.'
      : `The worker (pid ${worker.pid}) and everything it started end at once.`;
  return [
    killed,
    open === 0
      ? 'No invocation is open, so nothing is interrupted.'
      : `${counted(open, 'open invocation')} ${open === 1 ? 'is' : 'are'} handled again from the top.`,
    ...(done > 0
      ? [`${some(done)} with a recorded outcome ${done === 1 ? 'is' : 'are'} read back, not repeated.`]
      : []),
    ...(repeated > 0
      ? [
          `${some(repeated)} without an outcome may be repeated: ${repeated === 1 ? 'its class allows' : 'their classes allow'} it.`,
        ]
      : []),
    ...(asked > 0
      ? [
          `${some(asked)} without an outcome ${asked === 1 ? 'is' : 'are'} in doubt: the process waits until you decide.`,
        ]
      : []),
  ];
}

/** The process as it was when the question was asked. */
export function FrozenState({ row }: { readonly row: ProcessRow }) {
  const look = lookOf(row.state);
  return (
    <>
      <span className={`hf-state hf-hue-${look.hue}`}>
        <StateMark look={look} /> {look.word}
      </span>
      {row.stateSince !== null && (
        <>
          {' '}
          for <Ago at={row.stateSince} long />
        </>
      )}
    </>
  );
}

const ENDS: Readonly<Record<EffectView['end'], string>> = {
  open: 'under way, outcome unknown',
  done: 'done, will be read back',
  did_not_happen: 'did not happen, recorded',
  in_doubt: 'in doubt',
};

/** What an interruption meets: the worker, the open invocations and each of their effects. */
export function Interrupted({ detail: { row, counts, open } }: { readonly detail: ProcessDetail }) {
  return (
    <>
      <FactList
        className="hf-facts-wide"
        facts={[
          ['Worker', workerOf(row)],
          ...open.map((invocation): Fact => [
            `Invocation ${countText(invocation.invocation)}`,
            <>
              attempt {countText(invocation.attempt)}, for <Ago at={invocation.startedAt} long />
              {invocation.effects.length > 0 && (
                <ul className="hf-plain">
                  {invocation.effects.map((effect) => (
                    <li key={effect.effectId} className={`hf-effect hf-effect-${effect.end}`}>
                      <code className="hf-mono">{visibleLine(effect.name)}</code>
                      <span>{ENDS[effect.end]}</span>
                      <EffectSaid effect={effect} />
                    </li>
                  ))}
                </ul>
              )}
              <ShownOf shown={invocation.effects.length} of={invocation.effectCount} what="effects" />
            </>,
          ]),
        ]}
      />
      <ShownOf shown={open.length} of={counts.open} what="open invocations" />
    </>
  );
}
