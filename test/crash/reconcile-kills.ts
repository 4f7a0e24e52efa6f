// Lives of an agent whose effects can be reconciled, killed again and again at random moments: its worker, its host, or both.
// The providers live here, and nobody kills them: they go on with what they were asked for, slowly, and fail now and then. In
// the end what the journals say is held against what the providers have.

import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { headerKeyOf, tokenOf } from '../../core/agent/reconcilers/reconciled-effect.ts';
import { readFileJournal } from '../../core/journal/index.ts';
import type { StoredEntry } from '../../core/model/entry.ts';
import { textAt, type Json } from '../../core/model/json.ts';
import { startNode } from '../support/child.ts';
import { startMailServer } from '../support/providers/mail-server.ts';
import { NO_POSTGRES, startTestPostgres } from '../support/providers/postgres.ts';
import { startProviders, type Manner, type ProviderRequest } from '../support/providers/provider-server.ts';
import {
  AGENT,
  contentOf,
  type ReconciledKill,
  type ReconciledOrder,
  type ReconciledWorld,
} from '../support/reconciled-life.ts';
import { below } from './random.ts';

const HOST = fileURLToPath(new URL('../support/reconciled-host.ts', import.meta.url));
/** Of one host; the machine may have much else to do. */
const PATIENCE_MS = 120_000;
/** Behind an announcement: about what effects side by side take, with some more for what is asked afterwards. */
const KILL_WITHIN_MS = 160;
/** Longer than anything takes that is asked for and not seen yet. */
const GRACE_MS = 1_500;
const TIMEOUT_MS = 1_000;

export const KINDS = ['http', 'file', 'postgres', 'mail', 'github', 'stripe'] as const;
export type Kind = (typeof KINDS)[number];

export interface KillTally {
  readonly kills: number;
  /** Effects of which nobody knew what became of them, each as often as that was so. */
  readonly doubts: number;
  /** As having happened, and as not. */
  readonly happened: number;
  readonly didNotHappen: number;
  readonly leftToPeople: number;
  /** By kind. */
  readonly byKind: Readonly<Record<Kind, number>>;
  /** Done twice, done and not recorded, recorded and not done, and whatever else is not as it should be. */
  readonly wrong: readonly string[];
  /** Why a person was asked. */
  readonly why: readonly string[];
}

export interface ReconcileKills extends AsyncDisposable {
  /** Lives one life with at most so many kills. */
  live(kills: number): Promise<KillTally>;
}

export async function startReconcileKills(directory: string, random: () => number): Promise<ReconcileKills> {
  const stack = new AsyncDisposableStack();
  const providers = stack.use(await startProviders());
  const mail = stack.use(await startMailServer());
  const postgres = NO_POSTGRES === null ? stack.use(await startTestPostgres()) : null;
  const files = join(directory, 'files');
  mkdirSync(files, { recursive: true });

  providers.manner = (request) => mannerOf(request, random);
  mail.manner = () => ({
    deliverMs: below(random, 100),
    answerMs: below(random, 40),
    ...(random() < 0.04 ? { refuse: 451 } : {}),
  });
  const mailbox = join(directory, 'mailbox.socket');
  const asked = createServer((socket) => {
    socket.on('error', () => socket.destroy()); // Whoever asks may be killed.
    socket.on('data', (messageId) => {
      socket.write(mail.delivered.includes(messageId.toString().trim()) ? 'there' : 'not there');
    });
  }).listen(mailbox);
  stack.defer(() => void asked.close());

  const world: ReconciledWorld = {
    providers: providers.url,
    smtpPort: mail.smtpPort,
    mailbox,
    postgres: postgres?.url ?? null,
    files,
    graceMs: GRACE_MS,
    timeoutMs: TIMEOUT_MS,
  };

  const rowsOf = async (token: string): Promise<number> => {
    const client = await postgres!.connect();
    try {
      return (await client.query('SELECT 1 FROM rows WHERE holdfast_key = $1', [token])).rows.length;
    } finally {
      await client.end();
    }
  };
  /** How often the providers have it. */
  const countOf = async ({ kind, key, what, file }: Done): Promise<number> => {
    const token = tokenOf(key);
    switch (kind) {
      case 'http':
        return providers.orders.made.filter((order) => order.key === headerKeyOf(key)).length;
      case 'stripe':
        return providers.stripe.made.filter(({ metadata }) => metadata['holdfast_key'] === token).length;
      case 'github':
        return ['/repos/acme/shop/issues', '/repos/acme/shop/issues/7/comments']
          .flatMap((path) => providers.github.listOf(path))
          .filter(({ body }) => body.includes(token)).length;
      case 'mail':
        return mail.delivered.filter((messageId) => messageId.includes(token)).length;
      case 'file': {
        const path = join(files, file);
        return existsSync(path) && readFileSync(path, 'utf8') === contentOf(what) ? 1 : 0;
      }
      case 'postgres':
        return rowsOf(token);
    }
  };

  let lives = 0;
  const live = async (most: number): Promise<KillTally> => {
    lives += 1;
    const life = `life-${lives}`;
    const kills: ReconciledKill[] = Array.from({ length: most }, () => ({
      victim: (['worker', 'worker', 'worker', 'host', 'both'] as const)[below(random, 5)]!,
      afterMs: below(random, KILL_WITHIN_MS),
    }));
    const wrong: string[] = [];
    const where = join(directory, life);
    const order = { directory: where, world, life, events: Math.ceil(most / 2) + 1 };
    const killed = await livedThrough({ ...order, kills }, wrong);
    await Promise.all([providers.quiet(), mail.quiet()]);
    const entries = await readFileJournal(where).read(AGENT);
    const { ends, settled, left, why } = settlementsOf(entries);
    for (const done of ends.values()) {
      const count = await countOf(done);
      const text = `${done.kind} of ${done.what}, recorded as ${done.end}, is there ${count} times`;
      if (count > 1) wrong.push(text);
      else if (done.end === 'done' && count !== 1) wrong.push(text);
      else if (done.end === 'did_not_happen' && count !== 0) wrong.push(text);
      else if (done.end === 'open') wrong.push(`${done.kind} of ${done.what} is left open`);
    }
    const expected = order.events * (postgres === null ? KINDS.length - 1 : KINDS.length);
    if (ends.size !== expected) wrong.push(`${ends.size} of ${expected} effects are on record`);
    const leftovers = readdirSync(files).filter((name) => name.startsWith(`.${life}-`));
    if (leftovers.length > 0) wrong.push(`temporary files are left: ${leftovers.join(', ')}`);
    for (const repeat of [...providers.orders.repeats, ...providers.stripe.repeats]) {
      if ([...ends.values()].some(({ key }) => repeat === tokenOf(key) || repeat === headerKeyOf(key))) {
        wrong.push(`it was done, and asked for again under ${repeat}`);
      }
    }
    const happened = settled.filter(({ didHappen }) => didHappen).length;
    const byKind = Object.fromEntries(
      KINDS.map((kind) => [kind, [...settled, ...left].filter((one) => one.kind === kind).length]),
    ) as Record<Kind, number>;
    return {
      kills: killed,
      doubts: settled.length + left.length,
      happened,
      didNotHappen: settled.length - happened,
      leftToPeople: left.length,
      byKind,
      wrong: wrong.map((text) => `${life}: ${text}`),
      why,
    };
  };
  return { live, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** One host after the other, until everything is done. Gives how many kills there were. */
async function livedThrough(order: ReconciledOrder, wrong: string[]): Promise<number> {
  let killed = 0;
  for (;;) {
    const host = startNode(HOST, [JSON.stringify({ ...order, kills: order.kills.slice(killed) })]);
    const timer = setTimeout(() => host.process.kill('SIGKILL'), PATIENCE_MS);
    const { code, signal, stdout, stderr } = await host.ended;
    clearTimeout(timer);
    killed += stdout.split('\n').filter((line) => line.startsWith('killed')).length;
    if (stderr !== '') wrong.push(`the host says: ${stderr}`);
    if (code === 0) return killed;
    if (signal === 'SIGKILL' && /^killed (host|both)$/m.test(stdout)) continue;
    wrong.push(signal === null ? `the host ended with ${code}` : 'the host goes on for ever');
    return killed;
  }
}

/** Slow at times, and at times not well. */
function mannerOf({ method }: ProviderRequest, random: () => number): Manner {
  const chance = random();
  const again = { status: 429, body: { message: 'slow down' }, headers: { 'retry-after': '0' } };
  if (method === 'GET') {
    if (chance < 0.05) return { refuse: { status: 503, body: {} } };
    if (chance < 0.1) return { refuse: again };
    return {};
  }
  const times = { beforeMs: below(random, chance > 0.95 ? 400 : 40), afterMs: below(random, 40) };
  if (chance < 0.04) return { ...times, refuse: { status: 500, body: {} } };
  if (chance < 0.08) return { ...times, answer: { status: 502, body: {} } };
  if (chance < 0.12) return { ...times, isCut: true };
  if (chance < 0.15) return { ...times, refuse: again };
  return times;
}

interface Done {
  readonly kind: Kind;
  readonly key: string;
  /** The order, and its file. */
  readonly what: string;
  readonly file: string;
  end: 'open' | 'in_doubt' | 'done' | 'did_not_happen' | 'decided';
  before: Done['end'];
  attempt: number;
}

interface Settlements {
  readonly ends: ReadonlyMap<string, Done>;
  readonly settled: readonly { readonly kind: Kind; readonly didHappen: boolean }[];
  readonly left: readonly { readonly kind: Kind }[];
  readonly why: readonly string[];
}

/** What a journal says of doubts, and of how each effect ended. */
function settlementsOf(entries: readonly StoredEntry[]): Settlements {
  const events = new Map<string, Json | undefined>();
  const ends = new Map<string, Done>();
  const settled: { kind: Kind; didHappen: boolean }[] = [];
  const left: { kind: Kind }[] = [];
  const why: string[] = [];
  for (const { entry_type, data } of entries) {
    const effectId = textAt(data, 'effect_id');
    const effect = ends.get(effectId);
    if (entry_type === 'trigger_event') events.set(textAt(data, 'event_id'), data['payload']);
    if (entry_type === 'effect_started') {
      const kind = textAt(data, 'name') as Kind;
      const attempt = Number(data['attempt']);
      // Repeated, so whoever it was done with said that it did not happen.
      if (effect?.end === 'open' || effect?.end === 'in_doubt') settled.push({ kind, didHappen: false });
      const payload = events.get(textAt(data, 'event_id'));
      const { life, n } = payload as { readonly life: string; readonly n: number };
      const what = `${life}/${n}`;
      const file = `${life}-${n}.txt`;
      const before = effect?.end ?? 'open';
      ends.set(effectId, { kind, key: textAt(data, 'key'), what, file, end: 'open', before, attempt });
    }
    if (entry_type === 'effect_resolved' && effect !== undefined) effect.end = 'decided';
    if (entry_type !== 'effect_finished' || effect === undefined) continue;
    const { kind } = effect;
    const end = textAt(data, 'end') as Done['end'];
    if (data['unpermitted'] === true) {
      if (effect.attempt === 1) ends.delete(effectId);
      else effect.end = effect.before;
    } else {
      effect.end = end;
      if (data['reconciled'] !== true) continue;
      if (end !== 'in_doubt') settled.push({ kind, didHappen: end === 'done' });
      else {
        left.push({ kind });
        why.push(`${kind}: ${textAt(data, 'error')}`);
      }
    }
  }
  return { ends, settled, left, why };
}
