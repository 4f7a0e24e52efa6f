import type { EffectView, ProcessDetail } from '../../../core/contract/views.ts';
import { Ago } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';

const ENDS: Readonly<Record<EffectView['end'], string>> = {
  open: 'under way',
  done: 'done',
  did_not_happen: 'did not happen',
  in_doubt: 'in doubt',
};

/** The invocations that have begun and not ended. */
export function UnderWay({ open }: { readonly open: ProcessDetail['open'] }) {
  return (
    <section className="hf-card hf-card-under-way" aria-label="Under way">
      <header>
        <h2>Under way</h2>
      </header>
      {open.length === 0 ? (
        <p className="hf-muted">No invocation is open.</p>
      ) : (
        <ul className="hf-plain hf-under-way">
          {open.map((invocation) => (
            <li key={invocation.eventId}>
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
                  {invocation.effects.map((effect) => (
                    <li key={effect.effectId} className={`hf-effect hf-effect-${effect.end}`}>
                      <code className="hf-mono">{visibleLine(effect.name)}</code>
                      <span>{ENDS[effect.end]}</span>
                    </li>
                  ))}
                </ul>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
