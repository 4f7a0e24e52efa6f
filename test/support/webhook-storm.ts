// Senders that post from many connections, and a host that is killed under them again and again. In the end everybody is asked:
// the senders what they were answered, the journal what it has, and a ledger that nobody kills what was done.

import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readFileJournal, type FileJournal } from '../../core/journal/index.ts';
import { textAt } from '../../core/model/json.ts';
import type { Cursor } from '../../core/model/ports.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { HOLDFAST, startNode, type Running } from './child.ts';
import { workspaceOf } from './run-host.ts';
import { waitFor } from './wait-for.ts';
import { sendJson } from './webhooks.ts';

export interface StormOptions {
  /** Where the workspace, the host's data and the ledger lie. */
  readonly directory: string;
  readonly port: number;
  /** It goes on until so many were accepted. */
  readonly accepted: number;
  readonly connections: number;
  readonly kills: number;
  readonly say?: (text: string) => void;
}

export interface StormTally {
  accepted: number;
  refused: number;
  /** The connection broke before there was an answer: it may be either. */
  unanswered: number;
  kills: number;
  /** Events in the journal. */
  events: number;
  /** In seconds, from the first post to the last answer. */
  posting: number;
  readonly problems: string[];
}

/** A sender that was refused waits so long; a kind one would wait as long as it is told. */
const BACKOFF_MS = 25;
const PAGE = 2_000;
/** On a busy machine a host takes its time to recover, and to work off a thousand events. */
const PATIENT = { patienceMs: 300_000 };

/** Books each event under the key of its effect, which is the same however often it is performed. */
const CLERK = (ledger: string): string => `
  const { appendFileSync } = await import('node:fs');
  await ctx.effect('book', { class: 'idempotent' }, async ({ key }) => {
    appendFileSync(${JSON.stringify(ledger)}, JSON.stringify([event.payload.n, event.eventId, key]) + '\\n');
  });`;

type Answer =
  | { readonly kind: 'accepted'; readonly eventId: string }
  | { readonly kind: 'refused' | 'unanswered' };

export async function webhookStorm(options: StormOptions): Promise<StormTally> {
  const { directory, port, accepted: wanted, connections, kills, say = () => {} } = options;
  const ledger = join(directory, 'ledger.txt');
  const manifest = `triggers: [{ type: webhook, webhook_port: ${port} }]\nconfig: { concurrency: 8 }\n`;
  const workspace = workspaceOf({ clerk: CLERK(ledger) }, manifest, join(directory, 'agents'));
  const url = `http://127.0.0.1:${port}/webhook`;
  const tally: StormTally = {
    accepted: 0,
    refused: 0,
    unanswered: 0,
    kills: 0,
    events: 0,
    posting: 0,
    problems: [],
  };
  const answers = new Map<number, Answer>();
  let host = startHost(workspace, directory);
  try {
    await isUp(url);
    const from = performance.now();
    const posting = Array.from({ length: connections }, () => sender(url, wanted, answers, tally));
    while (tally.kills < kills) {
      const due = ((tally.kills + 1) * wanted) / (kills + 1);
      await waitFor(() => tally.accepted >= due, { what: `${due} accepted events`, ...PATIENT });
      host.process.kill('SIGKILL');
      await host.ended;
      tally.kills += 1;
      say(
        `${tally.accepted} accepted, ${tally.refused} refused, ${tally.unanswered} without an answer; kill ${tally.kills}`,
      );
      host = startHost(workspace, directory);
      await isUp(url);
    }
    await Promise.all(posting);
    tally.posting = (performance.now() - from) / 1000;
    say(`${tally.accepted} accepted, ${tally.refused} refused; waiting until all are handled`);
    const journal = readFileJournal(join(workspace, '.holdfast-journal'));
    await waitFor(() => isWorkedOff(journal), { what: 'the end of the queue', ...PATIENT });
    host.process.kill('SIGTERM');
    await host.ended;
    await judge(journal, ledger, answers, tally);
    return tally;
  } finally {
    host.process.kill('SIGKILL');
  }
}

function startHost(workspace: string, directory: string): Running {
  const env = { ...process.env, HOLDFAST_DATA: join(directory, 'data') };
  return startNode(HOLDFAST, ['run', workspace, '--json'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

async function isUp(url: string): Promise<void> {
  const health = url.replace('/webhook', '/health');
  const looks = (): Promise<boolean> =>
    sendJson(health, null, { method: 'GET' }).then(
      ({ body }) => body['trigger_id'] !== undefined,
      () => false,
    );
  await waitFor(looks, { what: 'the host', ...PATIENT });
}

/** One connection: each post is another one, so that each has one answer. */
async function sender(
  url: string,
  wanted: number,
  answers: Map<number, Answer>,
  tally: StormTally,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  while (tally.accepted < wanted) {
    const n = answers.size;
    answers.set(n, { kind: 'unanswered' });
    const answer = await post(url, n, agent);
    answers.set(n, answer);
    tally[answer.kind] += 1;
    if (answer.kind !== 'accepted') await delay(BACKOFF_MS);
  }
  agent.destroy();
}

async function post(url: string, n: number, agent: Agent): Promise<Answer> {
  try {
    const { status, body } = await sendJson(url, { n }, { agent });
    return status === 202 ? { kind: 'accepted', eventId: String(body['event_id']) } : { kind: 'refused' };
  } catch (error) {
    // Nobody heard it; any other break may come after it was heard.
    return { kind: (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' ? 'refused' : 'unanswered' };
  }
}

async function isWorkedOff(journal: FileJournal): Promise<boolean> {
  const { snapshot } = await new ReplayEngine(journal).recover('clerk');
  return snapshot.queue.length + snapshot.open.length === 0;
}

async function judge(
  journal: FileJournal,
  ledger: string,
  answers: ReadonlyMap<number, Answer>,
  tally: StormTally,
): Promise<void> {
  const { problems } = tally;
  const events = new Map<number, string[]>();
  const results = new Map<string, number>();
  for (let before: Cursor | undefined; ;) {
    const page = await journal.readLast('clerk', PAGE, before);
    for (const { entry_type: type, data } of page.entries) {
      const eventId = textAt(data, 'event_id');
      if (type === 'invocation_result') results.set(eventId, (results.get(eventId) ?? 0) + 1);
      if (type !== 'trigger_event') continue;
      const { n } = data['payload'] as { readonly n: number };
      events.set(n, [...(events.get(n) ?? []), eventId]);
      tally.events += 1;
    }
    problems.push(...page.badLines.map(({ reason }) => `a damaged line: ${reason}`));
    if (page.before === null) break;
    before = page.before;
  }
  const booked = bookedIn(ledger);
  for (const [n, answer] of answers) {
    const ids = events.get(n) ?? [];
    if (ids.length > 1) problems.push(`post ${n} is in the journal ${ids.length} times`);
    if (answer.kind === 'accepted' && ids[0] !== answer.eventId) {
      problems.push(
        `post ${n} was accepted as ${answer.eventId}, and the journal has ${ids[0] ?? 'nothing'}`,
      );
    }
    if (answer.kind === 'refused' && ids.length > 0)
      problems.push(`post ${n} was refused, and is in the journal`);
    for (const id of ids) {
      if (results.get(id) !== 1) problems.push(`event ${id} was handled ${results.get(id) ?? 0} times`);
      const keys = booked.get(id);
      if (keys?.size !== 1) problems.push(`event ${id} was booked under ${keys?.size ?? 0} keys`);
    }
  }
  for (const n of events.keys()) if (!answers.has(n)) problems.push(`nobody posted ${n}`);
}

/** The keys that each event was booked under. */
function bookedIn(ledger: string): Map<string, Set<string>> {
  const booked = new Map<string, Set<string>>();
  for (const line of readFileSync(ledger, 'utf8').split('\n').filter(Boolean)) {
    const [, eventId, key] = JSON.parse(line) as [number, string, string];
    booked.set(eventId, (booked.get(eventId) ?? new Set()).add(key));
  }
  return booked;
}
