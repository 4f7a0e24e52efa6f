// What becomes of a process for what was found of its health, and when its mission is over: what its manifest says is done at
// once, whatever it is doing.

import type { Anomaly } from '../governance/health-keeper.ts';
import { healthKey } from '../model/health.ts';
import { isActive } from '../model/lifecycle.ts';
import { host, type Actor } from './lifecycle-driver.ts';
import type { ProcessParts } from './process-parts.ts';

export interface AnswersOptions extends Pick<
  ProcessParts,
  'definition' | 'guard' | 'lifecycle' | 'health' | 'escalations'
> {
  /** It is to stop. */
  readonly end: (actor: Actor) => void;
}

export class GovernanceAnswers {
  readonly #options: AnswersOptions;

  constructor(options: AnswersOptions) {
    this.#options = options;
  }

  missionOver(what: 'stop' | 'suspend', actor: Actor): void {
    const { guard, lifecycle, end } = this.#options;
    if (guard.trouble !== null) return;
    if (what === 'suspend') lifecycle.hold('mission', actor);
    else end(actor);
  }

  /** Its health is not as it should be. */
  unwell({ type, action, description, details }: Anomaly): void {
    const { definition, guard, lifecycle, escalations, end } = this.#options;
    if (guard.trouble !== null) return;
    const actor = host(description);
    switch (action) {
      case 'log':
        return;
      case 'pause':
        lifecycle.hold('health', actor);
        return;
      case 'stop':
        end(actor);
        return;
      case 'escalate':
        escalations.raise({
          kind: 'health',
          key: healthKey(type),
          summary: `${definition.name}: ${description}`,
          detail: {
            type: 'health_anomaly',
            process_id: definition.name,
            anomaly_type: type,
            details,
          },
          target: definition.config.health.escalation,
        });
        return;
    }
  }

  /** What was found, and its host was gone before anything was done about it. */
  catchUp(): void {
    const { health, lifecycle } = this.#options;
    health.settle();
    if (!isActive(lifecycle.state)) return;
    for (const anomaly of health.unanswered) this.unwell(anomaly);
  }
}
