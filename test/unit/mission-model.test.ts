// A model as the judge of a mission, from the manifest to the journal, in a workspace that a host runs.

import { join } from 'node:path';
import { onTestFinished, expect, test } from 'vitest';
import { modelJudgesIn } from '../../core/host/model-judge.ts';
import { readCosts } from '../../core/host/read-costs.ts';
import { foldEntries } from '../../core/model/fold.ts';
import type { JudgeView } from '../../core/model/judge.ts';
import { DEFAULT_PROCESS_CONFIG } from '../../core/model/process-config.ts';
import { readFileJournal } from '../../core/journal/file-journal.ts';
import { FAR_HOUR } from '../support/budgets.ts';
import { judgedBy, unknownOf } from '../support/model-judges.ts';
import { mission, isMission, runs } from '../support/missions.ts';
import { chat, failure, hang, modelServer } from '../support/model-server.ts';
import { filesUnder, plantedIn } from '../support/planted.ts';
import { bench } from '../support/runtime.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

const KEY = 'sk-judge-9f3Z7kQx2pw8';
const said = (verdict: object): string => JSON.stringify(verdict);
const ACHIEVED = { achieved: true, confidence: 0.95, reasoning: 'none is open', progress: 1 };
const NOT_YET = { achieved: false, confidence: 0.8, reasoning: 'one is open', progress: 0.5 };
const QUICKLY = 'holdfast: { judge_backoff: 0.02, judge_retries: 1 }';

/** Secrets come from variables of the host. */
function withKey(): string {
  process.env['HOLDFAST_TEST_JUDGE_KEY'] = KEY;
  onTestFinished(() => void delete process.env['HOLDFAST_TEST_JUDGE_KEY']);
  return 'secrets:\n  secrets: { OPENAI_COMPATIBLE_API_KEY: "${HOLDFAST_TEST_JUDGE_KEY}" }\n';
}

test('a script judges: not yet, then unsure, which is told, then achieved', async () => {
  const j = await judgedBy({
    evalModel: 'scripted:./judge.yaml',
    script: `turns:
  - match: '"runs":1'
    text: '${said(NOT_YET)}'
    usage: { input: 300, cached_read: 100, output: 20 }
  - match: '"runs":2'
    text: 'I think: ${said({ ...ACHIEVED, confidence: 0.4 })}'
  - text: '${said(ACHIEVED)}'
    usage: { input: 10, output: 5 }
`,
  });
  for (const count of [1, 2, 3]) {
    await j.run();
    await j.until('a verdict', ({ snapshot }) => snapshot.mission?.evaluations === count);
  }
  await j.until('its end', isMission('completed'));
  expect(await j.evaluations()).toMatchObject([
    {
      run: 1,
      ...NOT_YET,
      outcome: 'not_achieved',
      used: {
        cost: 1,
        modelTurns: 1,
        tokens: 420,
        tokensIn: 300,
        tokensCachedRead: 100,
        tokensOut: 20,
        unpriced: 1,
      },
    },
    { run: 2, achieved: true, confidence: 0.4, outcome: 'unsure', used: { modelTurns: 1, unpriced: 1 } },
    { run: 3, ...ACHIEVED, outcome: 'achieved' },
  ]);
  const judgings = await j.entries('mission_judging');
  expect(judgings[0]!.data).toMatchObject({
    run: 1,
    model: 'scripted:./judge.yaml',
    booked: { cost: 1, modelTurns: 1, unpriced: 1 },
  });
  expect(j.process.snapshot.budget).toMatchObject({
    reserved: {},
    spent: { cost: 3, modelTurns: 3, tokens: 435, unpriced: 3 },
  });
  const causes = Object.values(j.process.snapshot.escalations ?? {});
  expect(JSON.stringify(causes)).toContain('low-confidence');
});

test('[C17] nonsense is no verdict: recorded, asked again, and the mission goes on', async () => {
  const server = await modelServer(
    chat('I would say it is done.'),
    chat(said({ achieved: true, confidence: 7 })),
    chat(said(ACHIEVED)),
  );
  const j = await judgedBy({ evalModel: `openai-compatible:m@${server.url}`, mission: QUICKLY });
  await j.run();
  await j.until('both tries', ({ snapshot }) => snapshot.mission?.unknown?.attempts === 2);
  await j.run();
  await j.until('its end', isMission('completed'));
  const found = await j.evaluations();
  expect(found).toMatchObject([
    {
      run: 1,
      unknown: expect.stringMatching(/no verdict.*I would say/) as unknown,
      used: { tokensIn: 20, tokensOut: 5 },
    },
    { run: 1, unknown: expect.stringMatching(/confidence is no number from 0 to 1/) as unknown },
    { run: 2, outcome: 'achieved' },
  ]);
  expect(server.calls).toHaveLength(3);
});

test.each([
  ['is overloaded', failure(529, {}), { cost: 1 }],
  ['fails after it may have worked', failure(500, {}), undefined],
  ['refuses the key', failure(401, { message: `no such key: ${KEY}` }), { cost: 1 }],
])(
  '[C17] a provider that %s gives an unknown, and counts as what it may have cost',
  async (_what, behave, used) => {
    const server = await modelServer(behave);
    const j = await judgedBy({
      evalModel: `openai-compatible:m@${server.url}`,
      mission: 'holdfast: { judge_retries: 0 }',
      manifest: withKey(),
    });
    await j.run();
    await j.until('the unknown', ({ snapshot }) => snapshot.mission?.unknown !== null);
    const [evaluation] = await j.evaluations();
    expect(evaluation!['unknown']).toMatch(/The judge could not be asked: openai-compatible:m@/);
    expect(evaluation!['used']).toEqual(used);
    expect(server.calls).toHaveLength(1);
    expect(j.process.snapshot.mission).toMatchObject({ status: 'active', evaluations: 0 });
    const { spent, reserved } = j.process.snapshot.budget;
    expect(reserved).toEqual({});
    expect(spent.unpriced).toBe(used === undefined ? 1 : undefined);
    expect(JSON.stringify(evaluation)).not.toContain(KEY);
  },
);

test('[J10] the key comes from the secrets, goes to the provider and nowhere else; who had it is on record', async () => {
  const server = await modelServer(chat(said({ ...NOT_YET, reasoning: `the key is ${KEY}` })));
  process.env['OPENAI_COMPATIBLE_API_KEY'] = 'of-the-environment';
  onTestFinished(() => void delete process.env['OPENAI_COMPATIBLE_API_KEY']);
  const j = await judgedBy({
    evalModel: `openai-compatible:m@${server.url}`,
    manifest: withKey(),
    // An agent that is careless with it.
    onTrigger: `const key = await ctx.secret('OPENAI_COMPATIBLE_API_KEY');
    await ctx.state.set('leaked', key);
    await ctx.conversation.append({ role: 'user', content: 'the key is ' + key });`,
  });
  await j.run();
  await j.until('a verdict', ({ snapshot }) => snapshot.mission?.evaluations === 1);
  expect(server.calls[0]!.headers['authorization']).toBe(`Bearer ${KEY}`);
  const asked = JSON.stringify(server.calls[0]!.body);
  expect(asked).toContain('leaked');
  expect(plantedIn([KEY], [['the question', asked]])).toEqual([]);
  const reads = await j.entries('secret_read');
  expect(reads.map(({ data }) => data)).toContainEqual({
    name: 'OPENAI_COMPATIBLE_API_KEY',
    event_id: 'mission.judge/1',
  });
  expect(j.process.snapshot.mission!.history[0]!.reasoning).toMatch(/^the key is /);
  await j.close();
  expect(plantedIn([KEY], filesUnder(j.workspace))).toEqual([]);
});

test('without a key there is an unknown that names the secret to add, and nothing counts', async () => {
  process.env['OPENAI_API_KEY'] = 'sk-of-the-environment';
  onTestFinished(() => void delete process.env['OPENAI_API_KEY']);
  const j = await judgedBy({ evalModel: 'openai:gpt-5-mini', mission: 'holdfast: { judge_retries: 0 }' });
  await j.run();
  await j.until('the unknown', ({ snapshot }) => snapshot.mission?.unknown !== null);
  expect(unknownOf(j.process)).toMatch(/needs the secret OPENAI_API_KEY.*add it to the manifest's secrets/);
  expect(j.process.snapshot.budget).toMatchObject({ reserved: {} });
  expect(j.process.snapshot.budget.spent).toEqual({ runs: 1 });
});

test('a revoked key is none to go on without', async () => {
  const server = await modelServer(chat(said(NOT_YET)));
  const j = await judgedBy({
    evalModel: `openai-compatible:m@${server.url}`,
    mission: 'holdfast: { judge_retries: 0 }',
    manifest: withKey(),
  });
  await j.process.governance.revokeSecret(null, { name: 'operator:ann', reason: 'leaked' });
  await j.run();
  await j.until('the unknown', ({ snapshot }) => snapshot.mission?.unknown !== null);
  expect(unknownOf(j.process)).toMatch(/OPENAI_COMPATIBLE_API_KEY of clerk was revoked by operator:ann/);
  expect(server.calls).toEqual([]);
});

test('[S33] what it used is priced by the table of the manifest, and told call by call', async () => {
  const server = await modelServer(
    chat(said(NOT_YET), { usage: { prompt_tokens: 2_000, completion_tokens: 100 } }),
  );
  const evalModel = `openai-compatible:m@${server.url}`;
  const j = await judgedBy({
    evalModel,
    prices: `version: mine-1
currency: EUR
models:
  "${evalModel}": { input: 2, output: 10 }
`,
    manifest: 'budget:\n  holdfast: { max_tokens_per_day: 1000000, prices: prices.yaml }\n',
  });
  await j.run();
  await j.until('a verdict', ({ snapshot }) => snapshot.mission?.evaluations === 1);
  const [evaluation] = await j.evaluations();
  expect(evaluation).toMatchObject({
    used: { cost: 1, modelTurns: 1, tokens: 2_100, tokensIn: 2_000, tokensOut: 100, money: 0.005 },
    prices: 'mine-1',
    currency: 'EUR',
  });
  expect(j.process.snapshot.budget).toMatchObject({
    currency: 'EUR',
    spent: { cost: 1, tokens: 2_100, money: 0.005 },
    reserved: {},
  });
  await j.close();
  const directory = join(j.workspace, '.holdfast-journal');
  const rows = [];
  for await (const row of readCosts(directory, 'clerk')) rows.push(row);
  expect(rows).toMatchObject([
    {
      effect: 'mission.judge',
      model: evalModel,
      outcome: 'done',
      prices: 'mine-1',
      currency: 'EUR',
      eventId: '',
    },
  ]);
  const all = await readFileJournal(directory).read('clerk');
  expect(foldEntries(all).budget.spent).toEqual({ ...j.process.snapshot.budget.spent });
});

test.each([
  ['of calls in a day', 'holdfast: { max_llm_turns_per_day: 1 }', /max_llm_turns_per_day/, 1],
  ['of tokens in a day, once it is reached', 'holdfast: { max_tokens_per_day: 25 }', /max_tokens_per_day/, 1],
  [
    'of money in a day, where nobody knows the price',
    'holdfast: { max_money_per_day: 5 }',
    /nobody knows what .* costs/,
    0,
  ],
])(
  'a limit %s, keeps the judge waiting, which is said once, and the process goes on',
  async (_what, limit, why, calls) => {
    const server = await modelServer(chat(said(NOT_YET)));
    const j = await judgedBy({
      evalModel: `openai-compatible:m@${server.url}`,
      manifest: `budget:\n  daily_reset_hour_utc: ${FAR_HOUR}\n  ${limit}\n`,
    });
    for (let run = 0; run < calls; run += 1) {
      await j.run();
      await j.until('a verdict', ({ snapshot }) => snapshot.mission?.evaluations === run + 1);
    }
    await j.run();
    await j.until('the refusal', ({ snapshot }) => snapshot.mission?.unknown?.isForBudget === true);
    await j.run();
    await j.until('the next', ({ snapshot }) => snapshot.mission?.unknown?.run === calls + 2);
    expect(unknownOf(j.process)).toMatch(why);
    expect(server.calls).toHaveLength(calls);
    expect(j.process.snapshot).toMatchObject({ lifecycle: 'running', holds: [] });
    const waits = (await j.evaluations()).filter((data) => data['waits_for_budget'] === true);
    expect(waits.map((data) => data['run'])).toEqual([calls + 1, calls + 2]);
  },
);

test('where calls without a price are allowed, it is asked', async () => {
  const server = await modelServer(chat(said(ACHIEVED)));
  const j = await judgedBy({
    evalModel: `openai-compatible:m@${server.url}`,
    manifest: 'budget:\n  holdfast: { max_money_per_day: 5, unpriced: allow }\n',
  });
  await j.run();
  await j.until('its end', isMission('completed'));
  expect(j.process.snapshot.budget.spent).toMatchObject({ modelTurns: 1, tokens: 25, unpriced: 1 });
});

test('a provider that hangs is given up when the time of the judge is over, and the call with it; it may have cost', async () => {
  const server = await modelServer(hang);
  const j = await judgedBy({
    evalModel: `openai-compatible:m@${server.url}`,
    mission: 'holdfast: { judge_timeout: 0.5, judge_retries: 0 }',
  });
  await j.run();
  await j.until('the unknown', ({ snapshot }) => snapshot.mission?.unknown !== null);
  expect(unknownOf(j.process)).toBe('the judge gave no verdict within 0.5 s');
  await waitFor(() => server.gone() === server.calls.length, { what: 'the end of the call' });
  expect(j.process.snapshot.budget).toMatchObject({ reserved: {}, spent: { modelTurns: 1, unpriced: 1 } });
});

test('a call that is under way keeps nobody from stopping: it is called off, and made again in the next life', async () => {
  const server = await modelServer(hang, chat(said(ACHIEVED)));
  const j = await judgedBy({ evalModel: `openai-compatible:m@${server.url}` });
  await j.run();
  await waitFor(() => server.calls.length === 1, { what: 'the call' });
  await j.process.stop({ name: 'operator:ann', reason: 'enough' });
  await waitFor(() => server.gone() === 1, { what: 'the end of the call' });
  expect((await j.evaluations())[0]).toMatchObject({ called_off: true, run: 1 });
  await j.process.start({ name: 'operator:ann', reason: 'go on' });
  await j.until('its end', isMission('completed'));
  expect(server.calls).toHaveLength(2);
});

test('a runtime that can call no models says so, and gives no verdict', async () => {
  const b = await bench('return "done"', mission({ judgeRetries: 0, evalModel: 'openai:gpt-5-mini' }));
  await runs(b, 1);
  await b.until('the unknown', ({ snapshot }) => snapshot.mission?.unknown !== null);
  expect(unknownOf(b.process)).toBe("openai:gpt-5-mini is to judge, and this host can't call models");
  expect(b.process.snapshot.budget.spent).toEqual({ runs: 1 });
});

test('it is idle only once its last call is over', async () => {
  const server = await modelServer(hang);
  const judges = modelJudgesIn(tempDirectory());
  const config = { ...DEFAULT_PROCESS_CONFIG, ...mission() };
  const definition = {
    name: 'a',
    description: '',
    entrypoint: '',
    directory: '',
    config,
    configHash: '',
    codeHash: '',
  };
  const judge = judges(`openai-compatible:m@${server.url}`, definition, (name) => ({
    ok: false,
    refusal: 'unknown',
    message: `there is no ${name}`,
  }));
  const view: JudgeView = {
    process: 'a',
    objective: 'x',
    successCriteria: '',
    runs: 1,
    state: {},
    lastRun: null,
    conversation: [],
    before: null,
  };
  const off = new AbortController();
  const order: string[] = [];
  const asked = judge
    .judge(view, {
      callOff: off.signal,
      onBegan: () => order.push('began'),
      onUsed: () => order.push('used'),
    })
    .catch(() => order.push('over'));
  await waitFor(() => server.calls.length === 1, { what: 'the call' });
  const idle = judge.idle().then(() => order.push('idle'));
  off.abort();
  await Promise.all([asked, idle]);
  expect(order.toSorted()).toEqual(['began', 'idle', 'over']);
  await judge.idle();
});
