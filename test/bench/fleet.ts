// A host of many agents that is killed while a hundred of them are in the middle of something, and started again.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { hrtime } from 'node:process';
import { writeAgents } from './agents.ts';
import { startHost, type HostProcess } from './host-process.ts';
import { describeMachine } from './machine.ts';
import { atMost, measured, type BenchResult } from './result.ts';
import { say, sized, takeTurns, type Samples } from './rounds.ts';
import { workDirectory } from './work-directory.ts';

const AGENTS = sized(500, 10);
const BUSY = sized(100, 4);
const PATIENCE_MS = 300_000;
const MEBIBYTE = 1024 * 1024;

export async function run(): Promise<BenchResult> {
  using work = workDirectory();
  const at = new Date().toISOString();
  let round = 0;
  const rounds = await takeTurns([() => killAndStart(join(work.path, String((round += 1))))], sized(3, 1));
  return {
    bench: 'fleet',
    at,
    machine: describeMachine(),
    limits: {},
    results: [
      measured(`${AGENTS} agents, ${BUSY} busy: start to first live effect`, rounds('first'), 's', {
        target: atMost(3),
      }),
      measured('start to a host that answers', rounds('ready'), 's'),
      measured('start to the last of the busy done', rounds('last'), 's'),
      measured('memory of the host then', rounds('memory'), 'MiB', { target: atMost(400) }),
    ],
  };
}

/**
 * One effect that is done before the kill and must not be done again, and one that is in the middle of it, under a key,
 * and goes on after it.
 */
const SOURCE = (ledger: string, gate: string): string => `
  const note = (line) => appendFileSync(${JSON.stringify(ledger)}, line + '\\n');
  await ctx.effect('first', { class: 'ask' }, async () => note('first ' + ctx.process));
  await ctx.effect('second', { class: 'idempotent' }, async ({ attempt }) => {
    note('second ' + ctx.process + ' ' + attempt + ' ' + Number(process.hrtime.bigint()) / 1e6 + ' ' + process.pid);
    while (!existsSync(${JSON.stringify(gate)})) await delay(20);
  });
  note('done ' + ctx.process);`;

async function killAndStart(workspace: string): Promise<Samples> {
  const gate = join(workspace, 'gate');
  const ledger = join(workspace, 'ledger');
  mkdirSync(workspace, { recursive: true });
  const names = writeAgents(workspace, AGENTS, SOURCE(ledger, gate)).slice(0, BUSY);
  const lines = (beginning: string): string[] =>
    existsSync(ledger)
      ? readFileSync(ledger, 'utf8')
          .split('\n')
          .filter((line) => line.startsWith(beginning))
      : [];
  const first = await startHost(workspace, { HOLDFAST_MAX_WORKERS: String(BUSY) });
  await first.trigger(names);
  await until('the middle', () => lines('second').length >= BUSY);
  first.process.kill('SIGKILL');
  await until('its end', () => first.process.signalCode !== null);
  // Workers see that their host is gone, and end. One that saw the gate before that would go on, as far as it may alone.
  const pids = lines('second').map((line) => Number(line.split(' ')[4]));
  await until('the end of its workers', () => !pids.some(isAlive));
  writeFileSync(gate, '');
  const startedAt = now();
  const second = await startHost(workspace);
  try {
    const again = (): number[] =>
      lines('second')
        .map((line) => line.split(' '))
        .filter(([, , attempt]) => attempt !== '1')
        .map(([, , , at]) => Number(at));
    await until('the first live effect', () => again().length > 0);
    const firstSeconds = (Math.min(...again()) - startedAt) / 1000;
    await until('all of them', () => lines('done').length >= BUSY);
    const lastSeconds = (now() - startedAt) / 1000;
    const { rssBytes } = await check(second, lines);
    return {
      first: firstSeconds,
      last: lastSeconds,
      ready: second.readyMs / 1000,
      memory: rssBytes / MEBIBYTE,
    };
  } finally {
    await second.quit();
    rmSync(workspace, { recursive: true, force: true });
  }
}

/** Every state is right, nothing was done twice that may not be, and nothing is left. */
async function check(host: HostProcess, lines: (beginning: string) => string[]) {
  const facts = await host.facts();
  if (facts.states['running'] !== AGENTS || facts.doubts !== 0) {
    throw new Error(`The states are ${JSON.stringify(facts)}.`);
  }
  for (const what of ['first', 'done']) {
    const found = lines(what);
    if (found.length !== BUSY || new Set(found).size !== BUSY) {
      throw new Error(`${what} was done ${found.length} times for ${BUSY} agents.`);
    }
  }
  return facts;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Milliseconds on the clock that all processes of the machine share. */
function now(): number {
  return Number(hrtime.bigint()) / 1e6;
}

async function until(what: string, look: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!look()) {
    if (performance.now() > deadline) throw new Error(`${what} did not come within ${PATIENCE_MS / 1000} s.`);
    await delay(5);
  }
  say(`  ${what}`);
}
