// Causes that were raised, and who was told of them, as the console's views.

import type { ProcessDetail } from '../contract/process-detail.ts';
import type { ProcessRow } from '../contract/process-row.ts';
import { targetsOf } from '../governance/escalation-keeper.ts';
import { shownUrl } from '../model/escalation.ts';
import { isPending, type RaisedCause } from '../model/escalation-state.ts';
import type { OwnCausesConfig } from '../model/own-causes.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';
import { cut, cutOrNull } from './cut.ts';
import { countOf, MAX_ID, MAX_LINE, MAX_WORD, shownOf } from './view-limits.ts';

/** Of a row, each with so many characters; whoever wants more opens the process. */
const MAX_CAUSES = 3;
const MAX_CAUSE = 200;
const MAX_ESCALATIONS = 20;
/** Whom a manifest can name for one cause, and for all of them. */
const MAX_DELIVERIES = 2;
const MAX_TARGETS = 20;

/** What is open now, the newest first: what a desktop tells of. */
export function causeViews({ escalations }: Readonly<ProcessSnapshot>): ProcessRow['causes'] {
  // Nearly always there is none.
  if (escalations.length === 0) return [];
  return escalations
    .filter(({ overAt, kind }) => overAt === null && kind !== 'test')
    .slice(-MAX_CAUSES)
    .map(({ key, kind, summary, at }) => ({
      key: cut(key, MAX_CAUSE),
      kind,
      summary: cut(summary, MAX_CAUSE),
      at: cut(at, MAX_WORD),
    }))
    .toReversed();
}

/** Those that are open or still to be told, and the newest of the others; the newest first. */
export function escalationViews({ escalations }: Readonly<ProcessSnapshot>): ProcessDetail['escalations'] {
  const newest = escalations.toReversed();
  const live = newest.filter((cause) => cause.overAt === null || isPending(cause));
  return shownOf(newest, MAX_ESCALATIONS, [...live, ...newest]).map(escalationView);
}

function escalationView(cause: RaisedCause): ProcessDetail['escalations'][number] {
  const { id, key, kind, summary, at, repeats, overAt, overWhy, deliveries } = cause;
  return {
    id: cut(id, MAX_ID),
    key: cut(key, MAX_LINE),
    kind,
    summary: cut(summary, MAX_LINE),
    at: cut(at, MAX_WORD),
    repeats: countOf(repeats),
    overAt: cutOrNull(overAt, MAX_WORD),
    overWhy: cut(overWhy, MAX_LINE),
    deliveries: deliveries.slice(0, MAX_DELIVERIES).map((delivery) => ({
      target: delivery.target,
      to: cut(delivery.to, MAX_LINE),
      status: delivery.status,
      attempts: countOf(delivery.attempts),
      lastAt: cutOrNull(delivery.lastAt, MAX_WORD),
      dueAt: cutOrNull(delivery.dueAt, MAX_WORD),
      answer: delivery.answer === null ? null : countOf(delivery.answer),
      reason: cut(delivery.reason, MAX_LINE),
    })),
  };
}

/** Whom a manifest names, as it may be shown. */
export function receiversOf(config: OwnCausesConfig): ProcessDetail['receivers'] {
  return targetsOf(config)
    .flatMap(({ webhookUrl, eventType }) => [
      ...(webhookUrl === null
        ? []
        : [{ target: 'webhook' as const, to: cut(shownUrl(webhookUrl), MAX_LINE) }]),
      ...(eventType === null ? [] : [{ target: 'event' as const, to: cut(eventType, MAX_LINE) }]),
    ])
    .slice(0, MAX_TARGETS);
}
