import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import type { InvocationView } from '../../../core/contract/work-views.ts';
import { Card } from '../../ui/card.tsx';
import { counted } from '../../ui/numbers.ts';
import { ShownOf } from '../../ui/shown-of.tsx';
import { Ago } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { endLook, endOf, standingLook } from '../../ui/work-look.ts';
import { WorkMark } from '../../ui/work-mark.tsx';
import { WaitsFor } from './open-invocations.tsx';

/** The newest of each invocation; all of them are in a tab of their own. */
const MOST_EFFECTS = 5;

/** Whether something in particular is waited for. */
function isHeld(standing: InvocationView['standing']): boolean {
  return standing !== 'running' && standing !== 'ready';
}

/** The invocations that have begun and not ended; nothing where none has: the facts count them. */
export function UnderWay({ detail: { open, counts } }: { readonly detail: ProcessDetail }) {
  if (open.length === 0) return null;
  return (
    <Card title="Under way">
      <ul className="hf-plain hf-under-way">
        {open.map((invocation) => (
          <li key={invocation.eventId}>
            <div>
              <WorkMark look={standingLook(invocation.standing)} />
              {isHeld(invocation.standing) && (
                <div className="hf-waits-for">
                  {invocation.standing === 'in-doubt' && 'waits for '}
                  <WaitsFor invocation={invocation} />
                </div>
              )}
            </div>
            <div>
              Invocation {invocation.invocation}, attempt {invocation.attempt}, for{' '}
              <Ago at={invocation.startedAt} long />
            </div>
            <div className="hf-muted">
              woken by {visibleLine(invocation.triggerType)}{' '}
              <code className="hf-mono">{visibleLine(invocation.triggerId)}</code>
            </div>
            {invocation.effects.length > 0 && (
              <ul className="hf-plain">
                {invocation.effects.slice(-MOST_EFFECTS).map((effect) => (
                  <li key={effect.effectId} className={`hf-effect hf-effect-${endOf(effect)}`}>
                    <code className="hf-mono">{visibleLine(effect.name)}</code>
                    <span>{endLook(effect).word.toLowerCase()}</span>
                  </li>
                ))}
                {invocation.effectCount > MOST_EFFECTS && (
                  <li className="hf-muted">
                    and {counted(invocation.effectCount - MOST_EFFECTS, 'effect')} before
                  </li>
                )}
              </ul>
            )}
          </li>
        ))}
      </ul>
      <ShownOf shown={open.length} of={counts.open} what="invocations" />
    </Card>
  );
}
