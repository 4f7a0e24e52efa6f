// Servers of tools inside a real worker: found once for an invocation and pinned to it [S25], and gone with their worker [S30].

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { osProcessStartTime } from '../../core/host/os-process.ts';
import { DEFAULT_PLAN, type AgentPlan, type ToolServer } from '../../core/model/agent-plan.ts';
import { changeSettings } from '../../core/host/settings-commands.ts';
import { toolsView } from '../../core/host/tools-view.ts';
import { toolsListed } from '../../core/model/fold-tools.ts';
import { DEFAULT_PROCESS_CONFIG } from '../../core/model/process-config.ts';
import { emptySnapshot, openedInvocation } from '../../core/model/snapshot.ts';
import { MAX_DEAD_LISTS_BYTES } from '../../core/model/tools.ts';
import { bench, folded, isIdle, OPERATOR, type Bench } from '../support/runtime.ts';
import { hostile } from '../support/mcp.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

const SLOW = { timeout: 120_000 };
const MCP = fileURLToPath(new URL('../../core/agent/mcp/mcp-tools.ts', import.meta.url));

/** An agent that does with its tools what the body says; `use(name, args)` calls one as the loop does. */
const withTools = (body: string): string => `
import { mcpTools } from ${JSON.stringify(MCP)};
const source = mcpTools();
export default { async onTrigger(ctx, event, run) {
  const turn = { ...run, ctx, event };
  const list = await run.listed(() => source.list(turn));
  const use = (name, args = {}) => {
    const offer = list.offers.find((one) => one.name === name);
    return ctx.effect(name, { class: offer.class, args }, (call) => source.call(turn, offer, call));
  };
  ${body}
} };`;

const planOf = (bad: ToolServer, more: Partial<AgentPlan> = {}): AgentPlan => ({
  ...DEFAULT_PLAN,
  servers: { bad },
  ...more,
});

const OPENED = {
  event: { eventId: 'e', triggerId: 't', triggerType: 'manual', payload: null, acceptedAt: '' },
  invocation: 1,
  attempt: 1,
  attemptSeq: 1,
  startedAt: '',
  codeHash: '',
  seed: '',
  inbox: [],
  conversationFrom: 0,
};

const listings = async (b: Bench) =>
  (await b.entries()).filter(({ entry_type }) => entry_type === 'tools_listed');

async function gone(pid: number): Promise<void> {
  await waitFor(() => osProcessStartTime(pid) === null, { what: `the end of ${pid}` });
}

test(
  '[S30] kill -9 of a worker ends its servers, and what those started, also away from its group',
  SLOW,
  async () => {
    const source = withTools("note((await use('breeds')).text); await use('hang');");
    const b = await bench(source, { agent: planOf(hostile()) });
    await b.trigger();
    const [line] = await waitFor(() => (b.ledger().length > 0 ? b.ledger() : null), { what: 'the call' });
    const { own, child } = JSON.parse(line!) as { own: number; child: number };
    expect(osProcessStartTime(own)).not.toBeNull();
    expect(osProcessStartTime(child)).not.toBeNull();
    process.kill(b.process.live.worker!.pid, 'SIGKILL');
    await Promise.all([gone(own), gone(child)]);
  },
);

test('[S30] a worker that has nothing more to do takes its servers along', SLOW, async () => {
  const b = await bench(withTools("note((await use('breeds')).text);"), {
    agent: planOf(hostile()),
    workerIdleMs: 50,
  });
  await b.trigger();
  const [line] = await waitFor(() => (b.ledger().length > 0 ? b.ledger() : null), { what: 'the call' });
  const { own, child } = JSON.parse(line!) as { own: number; child: number };
  await Promise.all([gone(own), gone(child)]);
});

test(
  '[S25] the same list stands in the journal once; a re-run after kill -9 has the one that it began with',
  SLOW,
  async () => {
    const directory = tempDirectory();
    const toolsIn = join(directory, 'tools.json');
    const go = join(directory, 'go');
    const tool = (name: string) => ({
      name,
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
    });
    writeFileSync(toolsIn, JSON.stringify([tool('echo')]));
    const source = withTools(`
    note('sees ' + list.offers.map(({ name }) => name).join());
    await use('echo', { event: event.payload });
    while (!existsSync(${JSON.stringify(go)})) await delay(10);`);
    const agent = planOf(hostile({ toolsIn, ledger: join(directory, 'calls') }, { isTrusted: true }));
    const b = await bench(source, { agent }, join(directory, 'ws'));
    await b.trigger('one');
    await waitFor(() => existsSync(join(directory, 'calls')), { what: 'the call' });
    await b.until('its end', ({ snapshot }) => snapshot.open[0]?.effects[0]?.end != null);
    // Another server by now, and another worker.
    writeFileSync(toolsIn, JSON.stringify([tool('echo'), tool('more')]));
    process.kill(b.process.live.worker!.pid, 'SIGKILL');
    await waitFor(() => b.ledger().length === 2, { what: 'the re-run' });
    expect(b.ledger()).toEqual(['sees echo', 'sees echo']);
    expect(readFileSync(join(directory, 'calls'), 'utf8').match(/echo/g)).toHaveLength(1);
    writeFileSync(go, '');
    await b.until('the end', isIdle);
    await b.trigger('two');
    await b.trigger('three');
    await b.until('the end of all', ({ snapshot }) => snapshot.invocationCount === 3);
    expect(b.ledger().slice(2)).toEqual(['sees echo,more', 'sees echo,more']);
    const told = await listings(b);
    expect(told.map(({ data }) => Array.isArray(data['offers']))).toEqual([true, true, false]);
    expect(told[2]!.data['hash']).toBe(told[1]!.data['hash']);
    // What the journal alone gives is what the process has [P3]; and of two lists only the last is kept.
    const { tools } = await folded(b);
    expect(tools).toEqual(b.process.snapshot.tools);
    expect(Object.keys(tools.lists)).toEqual([told[1]!.data['hash']]);
    expect(Object.keys(tools.believed)).toEqual(['mcp:bad/echo', 'mcp:bad/more']);
    expect(b.process.runner.servers).toMatchObject({ servers: [{ server: 'bad', state: 'connected' }] });
  },
);

test(
  '[C22, S25] a dead letter is handled again with the tools that it began with, however many other lists came since',
  SLOW,
  async () => {
    const directory = tempDirectory();
    const toolsIn = join(directory, 'tools.json');
    const go = join(directory, 'go');
    const offer = (name: string): void =>
      writeFileSync(toolsIn, JSON.stringify([{ name, inputSchema: { type: 'object' } }]));
    offer('first');
    const source = withTools(`
    note(event.payload + ' sees ' + list.offers.map(({ name }) => name).join());
    if (event.payload !== 'letter') return;
    await use('first', { once: true });
    if (!existsSync(${JSON.stringify(go)})) throw new Error('not yet');`);
    const b = await bench(
      source,
      {
        agent: planOf(hostile({ toolsIn, ledger: join(directory, 'calls') }), {
          tools: { first: { class: 'retry' } },
        }),
        delivery: { ...DEFAULT_PROCESS_CONFIG.delivery, maxRetries: 0 },
      },
      join(directory, 'ws'),
    );
    await b.trigger('letter');
    await b.until('the dead letter', ({ snapshot }) => snapshot.deadLetters.length === 1);
    for (let other = 1; other <= 10; other += 1) {
      offer(`other-${other}`);
      await b.trigger(`${other}`);
      await b.until('its end', isIdle);
    }
    expect(b.ledger().at(-1)).toBe('10 sees other-10');
    expect(Object.keys(b.process.snapshot.tools.lists)).toHaveLength(2);
    writeFileSync(go, '');
    // From the journal alone, in another host.
    const again = await b.again();
    const [letter] = again.process.snapshot.deadLetters;
    await again.process.desk.redeliver(letter!.event.eventId, false, OPERATOR);
    await again.until('its end', ({ snapshot }) => snapshot.invocationCount === 11);
    expect(again.process.snapshot.deadLetters).toEqual([]);
    expect(again.ledger().at(-1)).toBe('letter sees first');
    expect(readFileSync(join(directory, 'calls'), 'utf8').match(/first/g)).toHaveLength(1);
    expect((await folded(again)).tools).toEqual(again.process.snapshot.tools);
  },
);

test('of dead letters with a list of their own each the latest are kept, as far as there is room', () => {
  const large = 'x'.repeat(200_000);
  const state = emptySnapshot();
  const letter = (eventId: string, hash: string) => ({
    event: { eventId, triggerId: 't', triggerType: 'manual', payload: null, acceptedAt: '' },
    open: { ...openedInvocation(OPENED), tools: { hash, problems: [] } },
    reason: '',
    error: '',
    attempts: 1,
    at: '',
  });
  for (let number = 0; number < 40; number += 1) {
    const hash = `h${number}`;
    toolsListed(state, { event_id: 'none', hash, offers: [{ name: hash, description: large }] }, '');
    state.deadLetters.push(letter(`e${number}`, hash));
  }
  const kept = Object.keys(state.tools.lists);
  expect(kept[0]).toBe('h39');
  expect(kept).toContain('h20');
  expect(kept).not.toContain('h10');
  expect(JSON.stringify(state.tools.lists).length).toBeLessThan(MAX_DEAD_LISTS_BYTES + 300_000);
});

test('[S32] what was believed before a restart is not believed otherwise after it', SLOW, async () => {
  const directory = tempDirectory();
  const toolsIn = join(directory, 'tools.json');
  const tool = (annotations: object) => [{ name: 'echo', inputSchema: { type: 'object' }, annotations }];
  writeFileSync(toolsIn, JSON.stringify(tool({ readOnlyHint: true })));
  const source = withTools("note(list.offers.map((one) => one.class + ' ' + one.decidedBy).join());");
  const b = await bench(
    source,
    { agent: planOf(hostile({ toolsIn }, { isTrusted: true })) },
    join(directory, 'ws'),
  );
  await b.trigger();
  await b.until('the first', ({ snapshot }) => snapshot.invocationCount === 1);
  writeFileSync(toolsIn, JSON.stringify(tool({ readOnlyHint: true, title: 'new' })));
  const again = await b.again();
  await again.trigger();
  await again.until('the second', ({ snapshot }) => snapshot.invocationCount === 2);
  await again.trigger();
  await again.until('the third', ({ snapshot }) => snapshot.invocationCount === 3);
  expect(again.ledger()).toEqual(['retry annotation', 'ask changed', 'ask changed']);
  expect(again.process.snapshot.tools.last!.problems).toEqual([
    expect.stringContaining('says something else of itself'),
  ]);
});

test(
  '[S28, S32] a call during which its server dies waits for an operator where nobody said that it may be repeated',
  SLOW,
  async () => {
    const b = await bench(withTools("await use('die');"), { agent: planOf(hostile()) });
    await b.trigger();
    await b.until('the doubt', ({ snapshot }) => snapshot.holds.some(({ kind }) => kind === 'in_doubt'));
    expect(b.process.snapshot.open[0]!.effects).toMatchObject([{ name: 'die', end: { kind: 'in_doubt' } }]);
  },
);

test(
  '[P7] a tool that an operator disables is offered no more from the next invocation on, until it is enabled again',
  SLOW,
  async () => {
    const source = withTools(
      "note(list.offers.map(({ name, class: of }) => name + ' ' + of).filter((one) => /^(echo|env) /.test(one)).join());",
    );
    const b = await bench(source, { agent: planOf(hostile()) });
    const handled = async (count: number): Promise<void> => {
      await b.trigger();
      await b.until(`invocation ${count}`, ({ snapshot }) => snapshot.invocationCount === count);
    };
    await handled(1);
    const set = { 'holdfast.tools.echo.disabled': true, 'holdfast.tools.env.class': 'retry' };
    await b.process.governance.changeSettings({ set, undo: [] }, OPERATOR);
    const known = { set: { 'holdfast.tools.env.class': '"retry"' }, undo: [] };
    expect(await changeSettings(b.process, known, OPERATOR)).toBe(
      `${b.process.name} has it so already; nothing was changed.`,
    );
    // A name that is mistaken changes nothing of any tool, and says so.
    const mistaken = { set: { 'holdfast.tools.ecko.disabled': 'true' }, undo: [] };
    expect(await changeSettings(b.process, mistaken, OPERATOR)).toMatch(
      / from now on\. It was not offered ecko when/,
    );
    const back = { set: {}, undo: ['holdfast.tools.ecko.disabled'] };
    expect(await changeSettings(b.process, back, OPERATOR)).not.toContain('not offered');
    await handled(2);
    const input = {
      snapshot: b.process.snapshot,
      plan: b.process.settings.config.agent,
      told: b.process.runner.servers,
      isNow: true,
    };
    const { tools, servers } = toolsView(input);
    expect(tools.find(({ name }) => name === 'echo')).toMatchObject({ isEnabled: false, isOffered: false });
    expect(tools.find(({ name }) => name === 'env')).toMatchObject({
      class: 'retry',
      decidedBy: 'operator',
      isEnabled: true,
    });
    expect(servers).toMatchObject([{ name: 'bad', state: 'connected', isNow: true, toolCount: 12 }]);
    await b.process.governance.changeSettings(
      { set: { 'holdfast.tools.echo.disabled': false }, undo: ['holdfast.tools.env.class'] },
      OPERATOR,
    );
    await handled(3);
    expect(b.ledger()).toEqual(['echo ask,env ask', 'env retry', 'echo ask,env ask']);
  },
);
