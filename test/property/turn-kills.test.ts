// Any turn, killed anywhere and as often as you like, comes to what it comes to when nobody kills it.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runtimeOn } from '../../core/host/runtime-on.ts';
import { systemClock } from '../../core/host/system-clock.ts';
import { openFileJournal } from '../../core/journal/file-journal.ts';
import { DEFAULT_PLAN } from '../../core/model/agent-plan.ts';
import { foldEntries } from '../../core/model/fold.ts';
import { textAt, type Json } from '../../core/model/json.ts';
import type { WorkerHost } from '../../core/model/ports.ts';
import { DEFAULT_PROCESS_CONFIG } from '../../core/model/process-config.ts';
import { RANDOM_TOOLS, worlds } from '../support/random-turn-agent.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';
import { workersInProcess } from '../support/workers-in-process.ts';

const AGENT = fileURLToPath(new URL('../support/random-turn-agent.ts', import.meta.url));

interface Step {
  /** Of the calls of one answer, which may be none that there is, or with arguments that do not fit. */
  readonly calls: readonly { readonly tool: string; readonly fits: boolean }[];
  /** The first model of the plan refuses this one, so that the second is asked. */
  readonly isRefused: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  calls: fc.array(fc.record({ tool: fc.constantFrom(...RANDOM_TOOLS, 'nothing'), fits: fc.boolean() }), {
    minLength: 1,
    maxLength: 4,
  }),
  isRefused: fc.boolean(),
});

/** How many words of a worker are heard, each time, before it is killed. */
const kills = fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 5 });

test(
  '[P2] [P3] [S26] conversation and effects of any turn, with calls side by side, errors and fallbacks, are the same after any kills',
  { timeout: 240_000 },
  async () => {
    const directory = tempDirectory();
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), kills, async (steps, killedAfter) => {
        runs += 2;
        const whole = await turn(join(directory, `${runs}-whole`), steps, []);
        const killed = await turn(join(directory, `${runs}-killed`), steps, killedAfter);
        expect(JSON.stringify(whole.came)).toContain('all is done');
        expect(killed.came).toEqual(whole.came);
        expect(killed.done.filter(([key, times]) => / order | wrong /.test(key) && times > 1)).toEqual([]);
      }),
      { numRuns: 25 },
    );
  },
);

interface Came {
  readonly came: Json;
  readonly done: readonly (readonly [string, number])[];
}

async function turn(
  directory: string,
  steps: readonly Step[],
  killedAfter: readonly number[],
): Promise<Came> {
  mkdirSync(directory, { recursive: true });
  const name = `turn-${crypto.randomUUID()}`;
  worlds.set(name, new Map());
  writeScripts(directory, steps);
  const journal = openFileJournal(join(directory, 'journal'));
  const clock = systemClock();
  const config = {
    ...DEFAULT_PROCESS_CONFIG,
    agent: { ...DEFAULT_PLAN, models: ['scripted:first.yaml', 'scripted:second.yaml'] },
    maxRestarts: 1_000,
    restartBackoffMs: 1,
  };
  const runtime = runtimeOn(journal, {
    definitions: [
      { name, description: '', entrypoint: AGENT, directory, config, configHash: 'c', codeHash: 'c' },
    ],
    workerHost: mortal(workersInProcess({ clock, random: Math.random }), [...killedAfter]),
    clock,
  });
  await runtime.start();
  const process = runtime.process(name);
  await process.trigger('go');
  await waitFor(() => process.snapshot.open.length + process.snapshot.queue.length === 0, {
    what: 'the end',
  });
  await runtime.quit();
  const entries = await journal.read(name);
  await journal.close();
  const { conversation, lastError } = foldEntries(entries);
  const effects = entries.flatMap(({ entry_type, data }) =>
    entry_type === 'effect_finished' && data['end'] !== 'in_doubt' && data['unpermitted'] !== true
      ? [
          [
            textAt(data, 'effect_id').replace(/^[^/]*\//, ''),
            data['end'] ?? null,
            wordsOf(data['result'] ?? null),
          ],
        ]
      : [],
  );
  const came = {
    lastError: lastError === null ? null : lastError.message,
    said: conversation.map((said) => [
      textAt(said, 'role'),
      textAt(said, 'role') === 'assistant' ? textAt(said, 'content') : '',
    ]),
    effects: effects.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
  };
  const done = [...worlds.get(name)!].map(([key, { times, text }]) => [` ${text} ${key}`, times] as const);
  worlds.delete(name);
  return { came: came as unknown as Json, done };
}

/** Of an answer what it says and calls: how often it was asked for differs. */
function wordsOf(result: Json): Json {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return result;
  const { text = null, toolCalls = null, model = null } = result as Record<string, Json>;
  return { text, toolCalls, model };
}

/** Its workers are killed after so many words, one count for each in turn. */
function mortal(host: WorkerHost, killedAfter: number[]): WorkerHost {
  return {
    ...host,
    spawn: async (...asked) => {
      const worker = await host.spawn(...asked);
      let left = killedAfter.shift() ?? Infinity;
      return {
        pid: worker.pid,
        startTime: worker.startTime,
        exited: worker.exited,
        send: (message) => worker.send(message),
        end: () => worker.end(),
        kill: (why) => worker.kill(why),
        facts: () => worker.facts(),
        onMessage: (listener) =>
          worker.onMessage((message) => {
            listener(message);
            if (message.type === 'glimpsed' || message.type === 'pong') return;
            left -= 1;
            if (left === 0) worker.kill('was killed');
          }),
      };
    },
  };
}

/** What a step says has the step in it: the id of a call is made of what was said before. */
function writeScripts(directory: string, steps: readonly Step[]): void {
  const answers = [
    ...steps.map(({ calls }, at) => ({
      text: `step ${at}`,
      tool_calls: calls.map(({ tool, fits }, n) => ({
        tool,
        id: `c-${at}-${n}`,
        args: fits ? { n } : { n: 'x' },
      })),
    })),
    { text: 'all is done' },
  ];
  const refused = answers.map((answer, at) =>
    steps[at]?.isRefused === true ? { ...answer, error: { kind: 'bad_request' } } : answer,
  );
  writeFileSync(join(directory, 'first.yaml'), JSON.stringify({ turns: refused }));
  writeFileSync(join(directory, 'second.yaml'), JSON.stringify({ turns: answers }));
}
