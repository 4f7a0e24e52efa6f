// What each request of a console is answered with.

import type { Result } from '../contract/define.ts';
import { REQUESTS, type RequestName, type RequestOf, type ResponseOf } from '../contract/requests.ts';
import type { TriggerSwitchView } from '../contract/settings-views.ts';
import type { AppView } from '../contract/app-view.ts';
import type { FleetView } from '../contract/fleet-views.ts';
import type { OutputLine as OutputView } from '../contract/worker-views.ts';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import { showJson } from '../model/json.ts';
import type { Cursor } from '../model/ports.ts';
import { COST_HEADINGS, costCells } from '../model/cost-history.ts';
import { CSV_BREAK, csvLine } from '../model/csv.ts';
import { cut } from './cut.ts';
import { MAX_MESSAGE } from './fleet-telling.ts';
import type { LiveWorkspace } from './live-workspace.ts';
import { manifestSchema } from './manifest-schema-view.ts';
import { planFork } from './fork-process.ts';
import { readMemory, searchMemory } from './memory-look.ts';
import type { OpenJournals } from './open-journals.ts';
import type { CommandName, CommandRequest, Outcome, Recording } from './operator-commands.ts';
import type { OutputLine } from './output-files.ts';
import { parseJson } from './parse-json.ts';
import { rewindPlanView } from './plan-views.ts';
import { newestCosts } from './read-costs.ts';
import { readWorkerOutput } from './read-worker-output.ts';
import { planSettings } from './settings-commands.ts';
import type { SwitchRequest } from './trigger-switch-command.ts';
import { waitingDetail, waitingView } from './waiting-views.ts';
import type { WatchedProcess } from './watched-process.ts';

/** What of a host takes part in its answers to one console. */
export interface Asked {
  readonly app: AppView;
  readonly journals: OpenJournals;
  /** The process that this console has open. */
  readonly watched: WatchedProcess;
  readonly fleet: () => FleetView;
  /** Null when none was chosen. */
  readonly chooseJournal: () => Promise<string | null>;
  /** Does it once, however often it is asked. */
  readonly command: (name: CommandName, request: CommandRequest) => Promise<Outcome>;
  /** Does what changes manifests, or puts them in force, once for each command id. */
  readonly changeManifests: <T>(
    name: RequestName,
    request: { readonly journalId: string; readonly commandId: string },
    act: (live: LiveWorkspace, recording: Recording) => Promise<T>,
  ) => Promise<T>;
  /** Holds or releases the triggers of all processes, once for each command id. */
  readonly switchTriggers: (request: SwitchRequest, isHeld: boolean) => Promise<TriggerSwitchView>;
}

type Answers = {
  readonly [N in RequestName]: (request: RequestOf<N>, host: Asked) => ResponseOf<N> | Promise<ResponseOf<N>>;
};

const ANSWERS: Answers = {
  'app.info': (_, { app }) => app,
  'fleet.read': (_, { fleet }) => fleet(),
  'journals.open': ({ path }, { journals }) => journals.look(path),
  'journals.choose': async (_, { journals, chooseJournal }) => {
    const path = await chooseJournal();
    return path === null ? null : journals.look(path);
  },
  'journals.close': async ({ journalId }, { journals }) => {
    await journals.close(journalId);
    return {};
  },
  'processes.read': ({ journalId, process }, { journals }) => journals.source(journalId).detail(process),
  'processes.watch': async ({ target }, { journals, watched }) => {
    if (target === null) watched.stop();
    else await watched.start(journals.source(target.journalId), target.process);
    return {};
  },
  'timeline.read': ({ journalId, process, limit, before }, { journals }) => {
    const source = journals.source(journalId);
    source.detail(process); // Refuses a process that is not there.
    return source.timeline(process, limit, before as Cursor | null);
  },
  'output.read': ({ journalId, process, limit, before }, { journals }) => {
    const source = journals.source(journalId);
    source.detail(process); // Refuses a process that is not there.
    const page = readWorkerOutput(source.directory, process, { limit, before });
    return { lines: page.lines.map(outputLine), before: page.before };
  },
  'tools.read': ({ journalId, process }, { journals }) => journals.source(journalId).tools(process),
  'costs.read': async ({ journalId, process, limit }, { journals }) => {
    const source = journals.source(journalId);
    source.detail(process); // Refuses a process that is not there.
    const { rows, count } = await newestCosts(source.directory, process, limit);
    const lines = [COST_HEADINGS, ...rows.map(costCells)].map(csvLine);
    return { csv: lines.join(CSV_BREAK), rows: rows.length, count };
  },
  'processes.preview': ({ journalId, process, action }, { journals }) =>
    journals.liveOf(journalId).preview(process, action),
  'processes.query': async ({ journalId, process, name, argsText, eventId }, { journals }) => {
    const args = argsText === undefined ? null : parseJson(argsText, 'arguments');
    const asked = journals.liveOf(journalId).runtime.process(process);
    return { valueText: showJson(await asked.queries.ask(name, args, eventId ?? null)) };
  },
  'rewind.plan': async ({ journalId, process, to, isHandledAgain }, { journals }) => {
    const { rewinds } = journals.liveOf(journalId).runtime.process(process);
    return rewindPlanView(await rewinds.plan({ to, isHandledAgain }));
  },
  'fork.plan': (request, { journals }) => planFork(journals.liveOf(request.journalId), request),
  'promises.settle': (request, { journals, command }) => {
    const { journalId, promiseId } = request;
    const process = request.process ?? journals.liveOf(journalId).runtime.processOfPromise(promiseId).name;
    return command('promises.settle', { ...request, process });
  },
  'waiting.read': ({ journalId }, { journals }) => waitingView(journals.source(journalId).waiting()),
  'waiting.show': ({ journalId, process, kind, id }, { journals }) => {
    const source = journals.source(journalId);
    source.detail(process); // Refuses a process that is not there.
    return waitingDetail(
      source.waiting().find(({ name }) => name === process)!,
      kind,
      id,
    );
  },
  'approvals.decide': (request, { journals, command }) => {
    const { journalId, promiseId } = request;
    const process = request.process ?? journals.liveOf(journalId).runtime.processOfPromise(promiseId).name;
    return command('approvals.decide', { ...request, process });
  },
  'processes.start': commanded('processes.start'),
  'processes.suspend': commanded('processes.suspend'),
  'processes.resume': commanded('processes.resume'),
  'processes.stop': commanded('processes.stop'),
  'processes.trigger': commanded('processes.trigger'),
  'processes.kill-worker': commanded('processes.kill-worker'),
  'processes.force-recover': commanded('processes.force-recover'),
  'processes.restart': commanded('processes.restart'),
  'processes.signal': commanded('processes.signal'),
  'effects.resolve': commanded('effects.resolve'),
  'inbox.write': commanded('inbox.write'),
  'deadletters.redeliver': commanded('deadletters.redeliver'),
  'deadletters.drop': commanded('deadletters.drop'),
  'triggers.add': commanded('triggers.add'),
  'triggers.remove': commanded('triggers.remove'),
  'triggers.pause': commanded('triggers.pause'),
  'triggers.resume': commanded('triggers.resume'),
  'triggers.fire': commanded('triggers.fire'),
  'budget.extend': commanded('budget.extend'),
  'escalation.test': commanded('escalation.test'),
  'mission.change': commanded('mission.change'),
  'health.clear': commanded('health.clear'),
  'settings.change': commanded('settings.change'),
  'settings.plan': ({ journalId, process, set, undo }, { journals }) =>
    planSettings(journals.liveOf(journalId).runtime.process(process), { set, undo }),
  'self.undo': commanded('self.undo'),
  'workspace.hold-triggers': (request, { switchTriggers }) => switchTriggers(request, true),
  'workspace.release-triggers': (request, { switchTriggers }) => switchTriggers(request, false),
  'workspace.changes': ({ journalId }, { journals }) => journals.liveOf(journalId).manifests.changes(),
  'workspace.reload': (request, { changeManifests }) =>
    changeManifests('workspace.reload', request, ({ manifests }, recording) =>
      manifests.reload(request, recording),
    ),
  'manifests.read': ({ journalId, of }, { journals }) => journals.liveOf(journalId).manifests.read(of),
  'manifests.plan': ({ journalId, ...asked }, { journals }) =>
    journals.liveOf(journalId).manifests.plan(asked),
  'manifests.write': (request, { changeManifests }) =>
    changeManifests('manifests.write', request, ({ manifests }, recording) =>
      manifests.write(request, recording),
    ),
  'manifests.remove': (request, { changeManifests }) =>
    changeManifests('manifests.remove', request, ({ manifests }, recording) =>
      manifests.remove(request, recording),
    ),
  'manifests.schema': () => manifestSchema(),
  'metrics.read': async ({ journalId }, { journals, app }) => {
    const live = journals.liveOf(journalId);
    // Most hosts are never asked, and need not load what it takes.
    const { metricsOf } = await import('./metrics.ts');
    return { text: await metricsOf(live, app.version) };
  },
  'secrets.rotate': commanded('secrets.rotate'),
  'secrets.revoke': commanded('secrets.revoke'),
  'rewind.apply': commanded('rewind.apply'),
  'fork.apply': commanded('fork.apply'),
  'memory.search': ({ journalId, process, ...asked }, { journals }) =>
    searchMemory(journals.source(journalId).memoryOf(process), asked),
  'memory.read': ({ journalId, process, id }, { journals }) =>
    readMemory(journals.source(journalId).memoryOf(process), id),
  'memory.write': commanded('memory.write'),
  'memory.forget': commanded('memory.forget'),
  'memory.repair': commanded('memory.repair'),
};

function commanded(
  name: Exclude<CommandName, 'promises.settle' | 'approvals.decide'>,
): (request: CommandRequest, host: Asked) => Promise<Outcome> {
  return (request, { command }) => command(name, request);
}

function outputLine({ level, eventId, ...line }: OutputLine): OutputView {
  return { ...line, level: level ?? null, eventId: eventId ?? null };
}

/** Checks the request against the contract and answers it; never rejects. */
export async function answerRequest(name: string, request: unknown, host: Asked): Promise<Result<unknown>> {
  try {
    const known = knownName(name);
    const answer = ANSWERS[known] as (request: unknown, host: Asked) => unknown;
    return { ok: true, value: await answer(checked(known, request), host) };
  } catch (error) {
    return failure(error);
  }
}

function knownName(name: string): RequestName {
  if (Object.hasOwn(REQUESTS, name)) return name as RequestName;
  throw new AppError(
    'request.unknown',
    `This host knows no request ${JSON.stringify(name)}. Console and host must be of one version.`,
  );
}

function checked(name: RequestName, request: unknown): unknown {
  const parsed = REQUESTS[name].request.safeParse(request);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'request'}: ${message}`,
  );
  throw new AppError('request.invalid', `The request ${name} is not as agreed: ${problems.join('; ')}.`, {
    problems,
  });
}

export function failure(error: unknown): Result<never> {
  const detail = error instanceof AppError ? { detail: { ...error.detail } } : {};
  return {
    ok: false,
    error: { code: codeOf(error), message: cut(messageOf(error), MAX_MESSAGE), ...detail },
  };
}
