// What an agent in open mode may change about itself: each change on record and in force from the next invocation [S25], and
// each guard with what the agent is told.

import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../core/model/json.ts';
import { standing } from '../../core/model/self-change.ts';
import { call, callOne, openBench } from '../support/open-agent.ts';
import { openPlan } from '../support/open-source.ts';
import { bench, isIdle, OPERATOR } from '../support/runtime.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const EVERY_HOUR = { type: 'cron', cron_expression: '0 * * * *' };

describe('instructions', () => {
  test('apply to the next invocation, are a setting by the agent, and are undone like one [S25]', async () => {
    const b = await openBench();
    const told = await callOne(b.process, 'modify_instructions', {
      instructions: 'be brief',
      reason: 'they are long',
    });
    expect(told).toMatchObject({ isError: false, text: expect.stringContaining('from the next event on') });
    expect(b.process.snapshot.context['told']).toBe('as the manifest says');
    await call(b.process);
    expect(b.process.snapshot.context['told']).toBe('be brief');
    expect(b.process.snapshot.settings['instructions']).toMatchObject({
      value: 'be brief',
      actor: 'agent:agent',
      reason: 'they are long',
    });
    const undone = await b.process.governance.undoSelf(null, OPERATOR);
    expect(undone).toHaveLength(1);
    await call(b.process);
    expect(b.process.snapshot.context['told']).toBe('as the manifest says');
    expect(standing(b.process.snapshot.self)).toEqual([]);
  });

  test('are taken back to any of the last steps, and with all of them to what people said', async () => {
    const b = await openBench();
    await b.process.governance.changeSettings({ set: { instructions: 'an operator’s' }, undo: [] }, OPERATOR);
    for (const text of ['one', 'two', 'three', 'four', 'five', 'six', 'seven']) {
      await callOne(b.process, 'modify_instructions', { instructions: text });
    }
    const steps = standing(b.process.snapshot.self, 'instructions');
    expect(steps).toHaveLength(5);
    await b.process.governance.undoSelf([steps.at(-2)!.seq], OPERATOR);
    expect(b.process.settings.config.instructions).toBe('five');
    expect(standing(b.process.snapshot.self)).toHaveLength(3);
    await b.process.governance.undoSelf(null, OPERATOR);
    expect(b.process.settings.config.instructions).toBe('an operator’s');
  });

  test('that somebody else set since are not the agent’s to take back', async () => {
    const b = await openBench();
    await callOne(b.process, 'modify_instructions', { instructions: 'mine' });
    await b.process.governance.changeSettings({ set: { instructions: 'theirs' }, undo: [] }, OPERATOR);
    expect(await callOne(b.process, 'undo_change', { change: 'all' })).toMatchObject({ isError: false });
    expect(b.process.settings.config.instructions).toBe('theirs');
  });

  test('are refused above the length that is allowed, and after so many rebuilds', async () => {
    const b = await openBench(openPlan({ maxInstructionLength: 100, maxRebuilds: 1 }));
    expect(await callOne(b.process, 'modify_instructions', { instructions: 'x'.repeat(101) })).toEqual({
      isError: true,
      text: 'These instructions have 101 characters, and 100 are allowed. Shorten them.',
    });
    expect(await callOne(b.process, 'modify_instructions', { instructions: 'short' })).toMatchObject({
      isError: false,
    });
    expect(await callOne(b.process, 'modify_instructions', { instructions: 'again' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('changed 1 times by itself'),
    });
  });
});

describe('triggers', () => {
  test('are added as its own, and only those may it remove', async () => {
    const b = await openBench(openPlan(), {
      triggers: [{ type: 'event', eventType: 'given', eventSource: null, filter: null }],
    });
    const added = await callOne(b.process, 'add_trigger', { trigger: EVERY_HOUR });
    expect(added.isError).toBe(false);
    const [own] = standing(b.process.snapshot.self, 'trigger');
    expect(b.process.triggers.find(own!.what)).toMatchObject({ isAdded: true });
    const given = b.process.triggers.known().find(({ trigger }) => trigger.type === 'event')!;
    const [refused, removed] = await call(
      b.process,
      { tool: 'remove_trigger', args: { trigger_id: given.id } },
      { tool: 'remove_trigger', args: { trigger_id: own!.what } },
    );
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('that it added itself') });
    expect(removed).toMatchObject({ isError: false });
    expect(b.process.triggers.find(own!.what)).toBeUndefined();
    expect(b.process.triggers.find(given.id)).toBeDefined();
  });

  const REFUSED: readonly (readonly [what: string, trigger: JsonObject, why: string])[] = [
    ['more often than once a minute', { type: 'cron', cron_expression: '* * * * * */5' }, 'once in a minute'],
    ['a port to more than this machine', { type: 'webhook', webhook_host: '0.0.0.0' }, 'this machine alone'],
    ['a secret', { type: 'webhook', hmac_secret: '${KEY}' }, 'can not name a secret'],
    ['a folder outside of the workspace', { type: 'file_watch', watch_path: '/etc' }, 'lies outside'],
    ['a folder above it', { type: 'file_watch', watch_path: '../..' }, 'lies outside'],
    ['the journal itself', { type: 'file_watch', watch_path: '.holdfast-journal' }, 'by its own waking'],
    ['what is no trigger', { type: 'carrier_pigeon' }, "This can't be a trigger"],
    ['a key that no trigger has', { ...EVERY_HOUR, shell: 'rm' }, 'no setting of this type'],
  ];

  test('that would reach further than it may are refused, each with why', async () => {
    const b = await openBench();
    const told = await call(
      b.process,
      ...REFUSED.map(([, trigger]) => ({ tool: 'add_trigger', args: { trigger } })),
    );
    expect(told.map(({ isError, text }, at) => [REFUSED[at]![0], isError, text])).toEqual(
      REFUSED.map(([what, , why]) => [what, true, expect.stringContaining(why)]),
    );
    expect(b.process.snapshot.triggers.added).toEqual([]);
  });

  test('are refused through a link that leads out of the workspace', async () => {
    const b = await openBench();
    symlinkSync(tempDirectory(), join(b.directory, 'inside'));
    const told = await callOne(b.process, 'add_trigger', {
      trigger: { type: 'file_watch', watch_path: 'inside' },
    });
    expect(told).toMatchObject({ isError: true, text: expect.stringContaining('lies outside') });
    mkdirSync(join(b.directory, 'real'));
    expect(
      await callOne(b.process, 'add_trigger', { trigger: { type: 'file_watch', watch_path: 'real' } }),
    ).toMatchObject({ isError: false });
  });

  test('are refused through a link to the journal, and not where the workspace itself lies in a folder called like it', async () => {
    const b = await openBench(openPlan(), {}, join(tempDirectory(), '.holdfast-work', 'agents'));
    mkdirSync(join(b.directory, '.holdfast-journal'));
    symlinkSync(join(b.directory, '.holdfast-journal'), join(b.directory, 'notes'));
    const watch = (watch_path: string) => ({
      tool: 'add_trigger',
      args: { trigger: { type: 'file_watch', watch_path } },
    });
    const told = await call(b.process, watch('notes'), watch('.HOLDFAST-journal'), watch('inbox'));
    expect(told).toMatchObject([
      { isError: true, text: expect.stringContaining('by its own waking') },
      { isError: true, text: expect.stringContaining('by its own waking') },
      { isError: false },
    ]);
  });

  test('are no more than are allowed, and no two of the same', async () => {
    const b = await openBench(openPlan({ maxTriggers: 2 }));
    const on = (minute: number) => ({
      tool: 'add_trigger',
      args: { trigger: { type: 'cron', cron_expression: `${minute} * * * *` } },
    });
    const told = await call(b.process, on(1), on(1), on(2), on(3));
    expect(told.map(({ isError }) => isError)).toEqual([false, true, false, true]);
    expect(told[1]!.text).toContain('listens to the same');
    expect(told[3]!.text).toContain('no more are allowed');
  });
});

describe('servers', () => {
  const connect = (url: string, name = 'tools') => ({ tool: 'connect_mcp_server', args: { name, url } });

  test('join the plan of the next invocation, believed in nothing, and leave it again [S25, S32]', async () => {
    const b = await openBench(openPlan({ allowedUrls: ['http://127.0.0.1:9/mcp'] }));
    const [connected] = await call(b.process, connect('http://127.0.0.1:9/mcp'));
    expect(connected).toMatchObject({ isError: false });
    expect(b.process.snapshot.context['servers']).toEqual([]);
    await call(b.process);
    expect(b.process.snapshot.context['servers']).toEqual(['tools']);
    expect(b.process.snapshot.plan).toMatchObject({
      servers: { tools: { isTrusted: false, headers: {}, url: 'http://127.0.0.1:9/mcp' } },
    });
    const [gone] = await call(b.process, { tool: 'disconnect_mcp_server', args: { name: 'tools' } });
    expect(gone).toMatchObject({ isError: false });
    await call(b.process);
    expect(b.process.snapshot.context['servers']).toEqual([]);
  });

  const PRIVATE: readonly string[] = [
    'http://127.0.0.1:8080/mcp',
    'http://localhost/mcp',
    'http://[::1]/mcp',
    'http://[::ffff:127.0.0.1]/mcp',
    'http://2130706433/mcp',
    'http://0x7f.1/mcp',
    'http://10.1.2.3/mcp',
    'http://192.168.0.1/mcp',
    'http://169.254.169.254/latest/meta-data',
    'http://0.0.0.0/mcp',
  ];

  test('at a private address are refused, however that is written', async () => {
    const b = await openBench();
    const told = await call(b.process, ...PRIVATE.map((url, at) => connect(url, `tools-${at}`)));
    expect(told).toEqual(
      PRIVATE.map(() => ({ isError: true, text: expect.stringContaining('Nothing is connected at') })),
    );
    expect(b.process.snapshot.self.servers).toEqual({});
  });

  test('are refused where the manifest allows others, by origin and path', async () => {
    const b = await openBench(
      openPlan({ allowedUrls: ['https://203.0.113.7/mcp', 'http://169.254.169.254/'] }),
    );
    const told = await call(
      b.process,
      connect('https://203.0.113.8/mcp'),
      connect('http://203.0.113.7/mcp'),
      connect('https://203.0.113.7/mcpother'),
      connect('https://203.0.113.7/mcp/../other'),
      connect('https://203.0.113.7@203.0.113.9/mcp'),
      connect('http://169.254.169.254/latest'),
    );
    expect(told.map(({ isError }) => isError)).toEqual(told.map(() => true));
    expect(told.at(-1)!.text).toContain('Nothing is connected');
  });

  test('are refused where there is no address, or one that would keep a password', async () => {
    const b = await openBench();
    const refused = [
      ['no address', 'npx some-server', 'is no address of a server'],
      ['a file', 'file:///etc/passwd', 'is no address of a server'],
      ['a password in it', 'https://me:secret@93.184.216.34/mcp', 'a name or a password'],
    ] as const;
    const told = await call(b.process, ...refused.map(([, url]) => connect(url)));
    expect(told).toEqual(refused.map(([, , why]) => ({ isError: true, text: expect.stringContaining(why) })));
  });

  test('never take the name of one of the manifest’s', async () => {
    const b = await openBench(
      openPlan(
        {},
        {
          servers: {
            files: {
              kind: 'stdio',
              command: 'true',
              args: [],
              env: {},
              cwd: '',
              isTrusted: true,
              roots: [],
              timeoutMs: 1_000,
              maxResultBytes: 1_000,
            },
          },
        },
      ),
    );
    const [told, one, two] = await call(
      b.process,
      connect('https://93.184.216.34/mcp', 'files'),
      connect('https://93.184.216.34/mcp'),
      connect('https://93.184.216.34/other'),
    );
    expect(told).toMatchObject({
      isError: true,
      text: expect.stringContaining('There is a server files already'),
    });
    expect(one).toMatchObject({ isError: false });
    expect(two).toMatchObject({ isError: true, text: expect.stringContaining('already') });
  });
});

describe('what is not given', () => {
  test('in strict mode nothing is offered', async () => {
    const b = await openBench(openPlan(null));
    expect(await callOne(b.process, 'modify_instructions', { instructions: 'x' })).toMatchObject({
      text: 'no such tool',
    });
    expect(b.process.snapshot.context['offers']).toEqual([]);
  });

  test('a worker that asks its host by itself is refused: in strict mode, and outside of a call', async () => {
    const asks = `export default defineAgent({ async onTrigger(ctx, event, run) {
      const asked = (key) => ({ key, action: 'modify_instructions', args: { instructions: 'x' } });
      const outside = await run.askHost(asked('made-up'));
      const inside = await ctx.effect('asks', { class: 'idempotent' }, ({ key }) => run.askHost(asked(key)));
      await ctx.state.set('codes', [outside.code ?? 'done', inside.code ?? 'done']);
    } });`;
    const codes: unknown[] = [];
    for (const agent of [openPlan(null), openPlan()]) {
      const b = await bench(asks, { agent });
      await b.trigger();
      await b.until('its end', isIdle);
      codes.push(b.process.snapshot.context['codes']);
    }
    expect(codes).toEqual([
      ['self.no-effect', 'self.strict'],
      ['self.no-effect', 'done'],
    ]);
  });

  test('each tool is offered only where the manifest allows it', async () => {
    const b = await openBench(
      openPlan({
        mayChangeInstructions: false,
        mayManageTriggers: false,
        mayConnectServers: false,
        maySpawn: false,
      }),
    );
    await call(b.process);
    expect(b.process.snapshot.context['offers']).toEqual([
      'create_tool',
      'undo_change',
      'list_processes',
      'list_capabilities',
      'get_secret',
      'check_budget',
      'check_mission',
    ]);
  });

  test('creating a tool is refused, and says why', async () => {
    const b = await openBench();
    expect(await callOne(b.process, 'create_tool', { name: 'shell' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('can not be created at run time'),
    });
  });

  test('a secret is told by its name alone, never its value [J10]', async () => {
    const b = await openBench(openPlan(), {
      secrets: {
        sources: { TOKEN: { kind: 'literal', value: 'swordfish-swordfish' } },
        ttlsMs: {},
        revokeOnStop: true,
        withheld: [],
      },
    });
    const told = await callOne(b.process, 'get_secret', { name: 'TOKEN' });
    expect(told.text).toContain('There is a secret TOKEN');
    expect(await callOne(b.process, 'get_secret', { name: 'OTHER' })).toMatchObject({ isError: true });
    expect(JSON.stringify(await b.entries())).not.toContain('swordfish');
  });
});

describe('what it reads', () => {
  test('its budget, its mission, and what it may', async () => {
    const b = await openBench(openPlan(), {
      budget: {
        ...(await openBench()).process.definition.config.budget,
        limits: { max_tool_calls_per_day: 20 },
      },
    });
    const [budget, mission, may, processes] = await call(
      b.process,
      { tool: 'check_budget' },
      { tool: 'check_mission' },
      { tool: 'list_capabilities' },
      { tool: 'list_processes' },
    );
    expect(budget!.text).toMatch(/effects in a day: \d+ of 20 used, \d+ left/);
    expect(mission!.text).toBe('There is no mission.');
    expect(may!.text).toContain('add triggers: 0 of 3 added');
    expect(processes!.text).toContain('agent, you: running');
  });
});
