// `npm run bench -- <name> [--json FILE]`: prints a table, writes the JSON where asked, and ends with 1 when a target is
// missed.

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isInMemory } from './machine.ts';
import type { BenchResult } from './result.ts';
import { isSmall, missing, say } from './rounds.ts';
import { tableOf } from './table.ts';

interface Bench {
  readonly run: () => Promise<BenchResult>;
}

const BENCHES: ReadonlyMap<string, () => Promise<Bench>> = new Map<string, () => Promise<Bench>>([
  ['append', () => import('./append.ts')],
  ['crash', () => import('./crash.ts')],
  ['effects', () => import('./effects.ts')],
  ['fleet', () => import('./fleet.ts')],
  ['governance', () => import('./governance.ts')],
  ['idle', () => import('./idle.ts')],
  ['kill-sweep', () => import('./kill-sweep.ts')],
  ['reconcile', () => import('./reconcile.ts')],
  ['recover', () => import('./recover.ts')],
  ['replay', () => import('./replay.ts')],
  ['resume', () => import('./resume.ts')],
  ['storage', () => import('./storage.ts')],
  ['turn', () => import('./turn.ts')],
  ['turn-kills', () => import('./turn-kills.ts')],
  ['wake', () => import('./wake.ts')],
  ['webhooks', () => import('./webhooks.ts')],
]);

async function main(): Promise<void> {
  const asked = argumentsOf();
  const load = asked === null ? undefined : BENCHES.get(asked.name);
  if (asked === null || load === undefined) {
    console.error(`usage: npm run bench -- <${[...BENCHES.keys()].join(' | ')}> [--json FILE]`);
    process.exitCode = 2;
    return;
  }
  const { run } = await load();
  const result = await run();
  console.log(tableOf(result));
  if (asked.json !== undefined) writeFileSync(asked.json, `${JSON.stringify(result, null, 2)}\n`);
  if (isInMemory(result.machine)) {
    say('Temporary files lie in memory here, so nothing was durable: set TMPDIR to a directory on a disk.');
  }
  for (const text of missing) say(text);
  const missed = result.results.filter(({ met }) => met === false);
  if (isSmall) say('These were small runs: the figures say nothing, and no target is judged.');
  else if (missed.length > 0) process.exitCode = 1;
}

/** Null for arguments that make no sense. */
function argumentsOf(): { readonly name: string; readonly json: string | undefined } | null {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: { json: { type: 'string' } },
    });
    const [name, ...more] = positionals;
    return name === undefined || more.length > 0 ? null : { name, json: values.json };
  } catch {
    return null;
  }
}

await main();
