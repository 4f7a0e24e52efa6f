// An agent in open mode in the loop of its model, from its manifest: what it changes holds from the next invocation on [S25],
// and can be taken back.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { emptySelf, standing } from '../../core/model/self-change.ts';
import { openPlanned } from '../../core/runtime/open-plan.ts';
import { hostileHttp, httpServer } from '../support/mcp.ts';
import { openPlan } from '../support/open-source.ts';
import { isIdle, OPERATOR } from '../support/runtime.ts';
import { wireModel } from '../support/turns.ts';
import { waitFor } from '../support/wait-for.ts';
import { AGENT, whole } from '../support/whole-agents.ts';
import type { WireAnswer, WireQuestion } from '../support/wire-forms.ts';
import { call, stepOf, steps } from '../support/wire-model.ts';

const SLOW = { timeout: 120_000 };

const said = ({ turns }: WireQuestion): string => {
  const last = turns.findLast(({ role }) => role === 'user');
  return last?.role === 'user' ? last.text : '';
};
const resultsIn = ({ turns }: WireQuestion): readonly string[] =>
  turns.flatMap((turn) => (turn.role === 'tool' ? [turn.text] : []));

/** Says what was found, at the end. */
const told = (question: WireQuestion): WireAnswer => ({ text: resultsIn(question).join(' | ') });

test(
  'it changes its instructions, adds a trigger, connects a server and begins a process: in effect with the next event, and undone',
  SLOW,
  async () => {
    const url = await hostileHttp();
    const model = await wireModel((question) => {
      if (question.system.startsWith('You help.')) return { text: 'Helped.' };
      if (stepOf(question) > 0) return told(question);
      if (said(question).includes('"change"') || said(question).includes('change\n')) {
        return {
          calls: [
            call('a', 'modify_instructions', { instructions: 'Be brief.' }),
            call('b', 'add_trigger', { trigger: { type: 'event', event_type: 'ink.low' } }),
            call('c', 'connect_mcp_server', { name: 'tools', url }),
            call('d', 'spawn_process', { name: 'helper', instructions: 'You help.', task: 'Help.' }),
          ],
        };
      }
      return question.tools.includes('echo')
        ? { calls: [call('e', 'echo', { text: 'over there' })] }
        : { text: 'No tools.' };
    });
    const w = await whole({
      model: model.name('chat'),
      instructions: 'As the manifest says.',
      execution_mode: 'open',
      open_mode: { allow_process_spawn: true, allowed_mcp_urls: [url] },
      holdfast: { tools: { echo: { class: 'retry' } } },
    });
    const first = await w.turn('change\n');
    expect(first.split(' | ')).toHaveLength(4);
    // The child may ask before its parent is answered.
    const [, second] = model.asked.filter(({ question }) => !question.system.startsWith('You help.'));
    expect(second!.question.system).toContain('As the manifest says.');
    expect(second!.question.tools).not.toContain('echo');
    expect(
      standing(w.process.snapshot.self)
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual(['instructions', 'process', 'server', 'trigger']);
    const { runtime } = w.opened.live;
    await waitFor(() => runtime.processes.get(`${AGENT}.helper`)?.snapshot.invocationCount === 1, {
      what: 'the turn of the child',
    });
    expect(runtime.process(`${AGENT}.helper`).snapshot.conversation.at(-1)).toMatchObject({
      content: 'Helped.',
    });
    expect(w.process.triggers.known().map(({ trigger }) => trigger.type)).toContain('event');
    expect(await w.turn('work')).toBe('{"text":"over there"}');
    expect(model.asked.at(-1)!.question.system).toContain('Be brief.');
    expect(w.process.snapshot.plan).toMatchObject({ servers: { tools: { reach: 'named' } } });
    await w.process.governance.undoSelf(null, OPERATOR);
    expect(await w.turn('work')).toBe('No tools.');
    expect(model.asked.at(-1)!.question.system).toContain('As the manifest says.');
    expect(standing(w.process.snapshot.self)).toEqual([]);
    expect(isIdle(w.process)).toBe(true);
  },
);

test('a server that the agent connected itself and that leads elsewhere is not followed', SLOW, async () => {
  let reached = 0;
  const inside = createServer((_, response) => {
    reached += 1;
    response.end('{}');
  });
  await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
  const door = createServer((_, response) => {
    const { port } = inside.address() as AddressInfo;
    response.writeHead(307, { location: `http://127.0.0.1:${port}/latest/meta-data` }).end();
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void [inside.close(), door.close()]);
  const url = `http://127.0.0.1:${(door.address() as AddressInfo).port}/mcp`;
  const model = await wireModel((question) =>
    said(question).includes('connect')
      ? steps({ calls: [call('a', 'connect_mcp_server', { name: 'tools', url })] }, { text: 'Connected.' })(
          question,
          0,
        )
      : { text: 'Nothing.' },
  );
  const w = await whole({
    model: model.name('chat'),
    execution_mode: 'open',
    open_mode: { allowed_mcp_urls: [url] },
  });
  await w.turn('connect');
  expect(await w.turn('work')).toBe('Nothing.');
  expect(model.asked.at(-1)!.question.system).toMatch(/leads elsewhere \(307\)/);
  expect(reached).toBe(0);
});

test('a server that it connected itself is there as long as the manifest in force allows it, and never freer than that', () => {
  const url = 'http://10.0.0.7/mcp';
  const self = { ...emptySelf(), servers: { tools: { ...httpServer(url) } } };
  const reach = (...allowedUrls: readonly string[]) =>
    openPlanned(openPlan({ allowedUrls }), self)!.servers['tools'];
  expect(reach()).toMatchObject({ url, reach: 'public' });
  expect(reach('http://10.0.0.7/')).toMatchObject({ url, reach: 'named' });
  expect(reach('http://10.0.0.8/')).toBeUndefined();
  expect(openPlanned(openPlan({ mayConnectServers: false }), self)!.servers).toEqual({});
  // One that the manifest has by that name since is the one.
  const theirs = httpServer('https://tools.example/mcp');
  expect(openPlanned(openPlan({}, { servers: { tools: theirs } }), self)!.servers['tools']).toEqual(theirs);
});
