// Stands where the preload's bridge stands, over a host in memory. Bundled and run in the page before anything else.

import { BRIDGE, EVENT_NAMES, REQUEST_NAMES } from '../../../core/contract/names.ts';
import type { RequestName } from '../../../core/contract/requests.ts';
import { fleetOf, forkPlanOf, lineOf, rewindPlanOf, toolsOf } from '../fixtures.ts';
import { memoryHost, ok, refused } from '../memory-client.ts';
import { EDITED, manifestAnswers } from './manifests.ts';
import { waitingDetailOf, waitingIn } from './waiting.ts';
import { memoryPageOf } from '../memory-fixtures.ts';
import {
  NIGHT,
  NIGHT_ENTRIES,
  NIGHT_LINES,
  nightDetail,
  nightPreview,
  nightRewind,
  nightTools,
} from './night.ts';
import { detailIn, ENTRIES, FLEET, LINES, OLDER, previewIn } from './scene.ts';

const scene = new URLSearchParams(window.location.search).get('scene') ?? 'full';
const host = memoryHost();
const never = new Promise<never>(() => undefined);
let silent = false;
const night = scene === 'night';
const lines = [...(night ? NIGHT_LINES : LINES)];
let written = 0;

const app = { version: '0.1.0', host: 'a host in memory', isStandIn: true, platform: 'linux' };
host.answer('app.info', () => (silent ? never : ok(app)));
host.answer('fleet.read', () => {
  if (scene === 'loading') return never;
  if (scene === 'failed') return refused({ code: 'catalog.unreadable', message: 'It could not be read.' });
  if (night) return ok(NIGHT);
  if (scene === 'edited') return ok({ ...FLEET, journals: EDITED });
  return ok(scene === 'empty' ? fleetOf([], { journals: [] }) : FLEET);
});
host.answer('processes.read', ({ journalId, process }) => {
  const detail = night ? nightDetail(process) : detailIn(journalId, process);
  return detail === null
    ? refused({ code: 'process.unknown', message: 'There is no such process.' })
    : ok(detail);
});
host.answer('processes.preview', ({ process, action }) => {
  if (scene === 'unread') {
    return refused({ code: 'journal.damaged', message: 'Entry 1204 can not be read.' });
  }
  if (night) return ok(nightPreview(action));
  return scene === 'looking' ? never : ok(previewIn(process, action));
});
host.answer('waiting.read', ({ journalId }) => ok(waitingIn(journalId, night)));
host.answer('waiting.show', ({ id }) => {
  const detail = waitingDetailOf(id, night);
  return detail === null
    ? refused({ code: 'waiting.over', message: 'It does not wait for this any more.' })
    : ok(detail);
});
host.answer('output.read', ({ before }) => {
  if (scene === 'unread') return refused({ code: 'output.unreadable', message: 'It could not be read.' });
  return before === null
    ? ok({ lines: [...lines], before: 'older' })
    : ok({ lines: [...OLDER], before: null });
});
host.answer('tools.read', () =>
  ok(night ? nightTools() : scene === 'own-code' ? toolsOf({ isModelAgent: false }) : toolsOf()),
);
host.answer('rewind.plan', ({ to, isHandledAgain }) => {
  if (scene === 'unread') {
    return refused({
      code: 'rewind.too-far',
      message: 'Between that entry and now lies too much. Choose a later one.',
    });
  }
  const { target, ...plan } = night ? nightRewind() : rewindPlanOf();
  return ok({ ...plan, target: { ...target, seq: to }, isHandledAgain });
});
host.answer('rewind.apply', () =>
  refused({
    code: 'rewind.changed',
    message:
      'It has moved since the rewind was planned: 3 invocations would be undone, and not 2. Look at the plan again.',
  }),
);
host.answer('fork.plan', ({ at, name, process }) => ok(forkPlanOf({ at, name, from: process })));
host.answer('triggers.add', () =>
  refused({
    code: 'trigger.port-taken',
    message:
      'Port 9090 of 127.0.0.1 is in use by another program. End that program, or give the webhook another port.',
  }),
);
host.answer('budget.extend', () =>
  refused({
    code: 'budget.no-limit',
    message:
      'ad-buyer has no limit max_cost_per_day that could be extended. Its manifest sets max_runs_per_day.',
  }),
);
host.answer('mission.change', () =>
  refused({
    code: 'mission.not-now',
    message:
      'The mission of nightly-report is completed, so there is nothing to pause. Now it can be told to: resume.',
  }),
);
host.answer('settings.change', () =>
  refused({
    code: 'settings.invalid',
    message: 'Nothing was changed: budget.max_runs_per_day = 0: Too small: expected number to be >=1.',
  }),
);
host.answer('memory.search', ({ text }) => {
  if (scene === 'unread') {
    return refused({
      code: 'memory.damaged',
      message:
        'The memory launch_notes.sqlite is damaged: database disk image is malformed. Nothing is read from it or written to it. Repair it.',
    });
  }
  return ok(memoryPageOf(text, night));
});
host.answer('memory.read', ({ id }) => {
  const record = memoryPageOf('', night).records.find((one) => one.id === id);
  return record === undefined
    ? refused({ code: 'memory.not-found', message: 'There is no such record.' })
    : ok({ ...record, cut: false });
});
host.answer('memory.write', () =>
  refused({ code: 'memory.busy', message: 'The memory is being written by somebody else.' }),
);
manifestAnswers(host, scene === 'edited');
host.answer('timeline.read', () => ok({ rows: [...(night ? NIGHT_ENTRIES : ENTRIES)], before: 'c' }));

Object.assign(window, {
  [BRIDGE]: {
    requests: Object.fromEntries(
      REQUEST_NAMES.map((name) => [
        name,
        (request: never) => host.client.request<RequestName>(name, request),
      ]),
    ),
    events: Object.fromEntries(
      EVENT_NAMES.map((name) => [name, (listener: () => void) => host.client.on(name, listener)]),
    ),
    pathOf: async () => '',
  },
  /** A worker writes one more line. */
  write: () => {
    written += 1;
    lines.push(lineOf(100 + written, { text: `written ${written}` }));
  },
  fallSilent: () => {
    silent = true;
  },
});
