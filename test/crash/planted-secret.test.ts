// C26, J10: an agent lets its secret out in every way and in every form that it has, its host is killed in the middle, everything is
// recovered, looked at and exported; and the secret is found nowhere on the disk and in nothing that anybody is told.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RequestName, RequestOf } from '../../core/contract/requests.ts';
import { openFileJournal } from '../../core/journal/file-journal.ts';
import { allForms } from '../support/encodings.ts';
import { holdfast, type Ended } from '../support/child.ts';
import { filesUnder, openToOthers, plantedIn } from '../support/planted.ts';
import { command, openConsole, runHost, workspaceOf } from '../support/run-host.ts';
import { OTHER, PLANTED } from '../support/secrets.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

/** `key` is given by the host, or found by the code itself, of which the host can't know. */
const LEAKS = `
  const { readFileSync } = await import('node:fs');
  const { setTimeout: delay } = await import('node:timers/promises');
  const { formsOf } = await import(FORMS);
  const [how, what] = event.payload.split(' ');
  const key = how === 'given' ? await ctx.secret('API_KEY') : readFileSync(SOURCE, 'utf8').trim();
  const forms = formsOf(key);
  if (what === 'fails') throw new Error('failed with ' + forms.join(' '));
  if (what === 'dies') { setTimeout(() => { throw new Error('died with ' + forms.join(' ')); }); await delay(60_000); }
  if (what === 'scans') return forms.join('|');
  ctx.onQuery('leak', () => ({ forms, [key]: key }));
  for (const [n, form] of forms.entries()) {
    await ctx.state.set('n' + n + form, { form, [form]: [form] });
    await ctx.effect('call' + n, { class: 'retry', args: { form }, key: 'key ' + form }, async () => ({ form, [form]: 1 }));
    ctx.log('log ' + form);
    process.stdout.write('out ' + form.slice(0, 5));
    await delay(1);
    process.stdout.write(form.slice(5) + ' end\\n');
    console.error('err', { form });
  }
  await ctx.effect('fails' + (how === 'given' ? key : ''), { class: 'retry', retry: { attempts: 1 } }, async () => { throw new Error(forms.join(' ')); }).catch(() => {});
  await ctx.effect('large', { class: 'retry' }, async () => Array.from({ length: 200 }, () => forms));
  await ctx.conversation.append({ role: 'user', content: forms.join(' ') });
  await ctx.send('letters', { forms });
  await ctx.emit('told', { forms });
  await ctx.state.set('stage', how);
  // What it has from elsewhere it would not know for the same in a re-run.
  if (how === 'found') return 'done ' + forms.join(' ');
  const wait = ctx.promise('wait ' + key, { data: { forms } });
  await ctx.state.set('promise', wait.id);
  ctx.log('waits with ' + JSON.stringify(await Promise.race([wait, new Promise(() => {})])));
  return 'done ' + forms.join(' ');`;

const LISTENS = `await ctx.state.set('heard ' + event.triggerId, event.payload); return JSON.stringify(event.payload);`;

function plantedWorkspace(): { readonly workspace: string; readonly outside: string } {
  const outside = tempDirectory();
  const source = join(outside, 'key');
  writeFileSync(source, `${PLANTED}\n`, { mode: 0o600 });
  const forms = join(outside, 'forms.mjs');
  writeFileSync(
    forms,
    `const known = ${JSON.stringify([
      [PLANTED, allForms(PLANTED)],
      [OTHER, allForms(OTHER)],
    ])};
export const formsOf = (key) => new Map(known).get(key) ?? [key];\n`,
  );
  const body = LEAKS.replace('FORMS', JSON.stringify(forms)).replace('SOURCE', JSON.stringify(source));
  const directory = join(outside, 'agents');
  const workspace = workspaceOf(
    { leaky: body },
    `journal: { level: full }\nsecrets:\n  secrets: { API_KEY: "file:${source}" }\n`,
    directory,
  );
  workspaceOf(
    { listens: LISTENS },
    'journal: { level: full }\ntriggers:\n  - { type: message, topic: letters }\n  - { type: event, event_type: told }\n',
    directory,
  );
  return { workspace, outside };
}

test('C26: a planted secret is found nowhere on the disk, in no message and in no export [J10]', async () => {
  const { workspace, outside } = plantedWorkspace();
  const data = tempDirectory();
  const journal = join(workspace, '.holdfast-journal');
  const told: [string, string][] = [];
  const heard = (where: string, { stdout, stderr }: Ended): void => {
    told.push([`${where}, output`, stdout], [`${where}, error`, stderr]);
  };

  // A host that is killed while the process waits, having let everything out.
  const child = await runHost(workspace, data);
  let console = await openConsole(workspace, data);
  const { journals } = await console.get('fleet.read', {});
  const target = { journalId: journals[0]!.id, process: 'leaky' };
  const ask = async <N extends RequestName>(name: N, request: RequestOf<N>): Promise<unknown> => {
    const answer = await console.ask(name, request);
    told.push([name, JSON.stringify(answer)]);
    return answer.ok ? answer.value : null;
  };
  const detail = () => console.get('processes.read', target);
  const rests = () =>
    waitFor(
      async () => {
        const { row, open } = await detail();
        return row.queued === 0 && open.length === 0;
      },
      { what: 'the end of it' },
    );
  const settle = async (): Promise<void> => {
    const kept = (await detail()).context.find(({ key }) => key === 'promise');
    const promiseId = JSON.parse(kept?.text ?? '') as string;
    await ask('promises.settle', {
      ...target,
      ...command(),
      promiseId,
      settlement: { kind: 'resolved', valueText: JSON.stringify({ key: PLANTED }) },
    });
  };
  const reason = `because of ${PLANTED}`;
  await ask('processes.watch', { target });
  await ask('processes.trigger', { ...target, ...command(reason), payloadText: '"given all"' });
  await waitFor(async () => (await detail()).row.state === 'awaiting', { what: 'the wait' });
  const forms = JSON.stringify({ [PLANTED]: allForms(PLANTED) });
  await ask('processes.signal', { ...target, ...command(), name: 'go', payloadText: forms });
  await ask('inbox.write', {
    ...target,
    ...command(),
    messageType: 'directive',
    content: `the key is ${PLANTED}`,
    priority: 'normal',
    expiresInSeconds: null,
  });
  await ask('processes.query', { ...target, name: 'leak' });
  const large = JSON.stringify(Array.from({ length: 3_000 }, () => PLANTED));
  await ask('processes.trigger', { ...target, process: 'listens', ...command(), payloadText: large });
  for (const { name, payload } of console.events) told.push([`event ${name}`, JSON.stringify(payload)]);
  await child.kill();
  await console.host.close();

  // The same again, in a host here, with everything looked at.
  console = await openConsole(workspace, data);
  await ask('processes.watch', { target });
  await ask('processes.query', { ...target, name: 'leak' });
  await settle();
  await rests();
  await ask('secrets.rotate', {
    ...target,
    ...command(`was ${PLANTED}, is ${OTHER}`),
    name: 'API_KEY',
    value: OTHER,
  });
  for (const payload of ['found all', 'given scans', 'given fails', 'found fails']) {
    await ask('processes.trigger', { ...target, ...command(payload), payloadText: JSON.stringify(payload) });
    await rests();
  }
  // A worker that dies of it; more than once, until its process has failed.
  await ask('processes.trigger', { ...target, ...command(), payloadText: '"found dies"' });
  await waitFor(async () => (await detail()).lastWorkerDeath !== null, { what: 'a death' });
  await ask('processes.trigger', { ...target, ...command(), payloadText: `{"broken": "${PLANTED}` });
  await ask('secrets.rotate', { ...target, ...command(), name: 'API_KEY', value: `${OTHER} `.slice(0, 5) });
  await ask('processes.stop', { ...target, ...command(`with ${OTHER}`) });

  // Every view, and what begins from it.
  const { row } = await detail();
  await ask('fleet.read', {});
  for (const process of ['leaky', 'listens']) {
    const one = { ...target, process };
    await ask('processes.read', one);
    for (let before: string | null = null; ;) {
      const page = (await ask('timeline.read', { ...one, before, limit: 200 })) as { before: string | null };
      before = page.before;
      if (before === null) break;
    }
    await ask('output.read', { ...one, before: null, limit: 500 });
    await ask('processes.preview', { ...one, action: 'restart' });
  }
  await ask('rewind.plan', { ...target, to: 20, isHandledAgain: true });
  const fork = { at: row.entries - 5, name: 'forked', set: { mine: JSON.stringify(OTHER) }, configure: {} };
  await ask('fork.plan', { ...target, ...fork });
  expect(await ask('fork.apply', { ...target, ...command(`for ${PLANTED}`), ...fork })).not.toBeNull();
  await console.host.close();
  for (const { name, payload } of console.events) told.push([`event ${name}`, JSON.stringify(payload)]);

  // Sealed and packed, repaired to a copy, and told by the command line.
  const sealing = openFileJournal(journal, { segmentBytes: 1, workspace: '..' });
  const { state } = (await sealing.lastCheckpoint('leaky'))!;
  for (const _ of [1, 2]) await sealing.checkpoint('leaky', state);
  await sealing.close();
  const copy = join(outside, 'copy');
  const env = { ...process.env, HOLDFAST_DATA: data };
  for (const args of [
    ['show', workspace, 'leaky', '--json'],
    ['tail', workspace, 'leaky', '-n', '100000', '--json'],
    ['logs', workspace, 'leaky', '-n', '100000'],
    ['recover', workspace, 'leaky', '--apply', '--reason', `saw ${PLANTED}`],
    ['repair', journal, '--to', copy],
  ]) {
    heard(args[0]!, await holdfast(args, { env }));
  }

  // That it was let out is seen by what stands in its place.
  const written = [...filesUnder(journal)];
  const marks = written.map(([, text]) => text.split('[secret:API_KEY]').length - 1);
  expect(marks.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(2_000);
  expect(written.some(([where]) => where.endsWith('unpacked'))).toBe(true);
  expect(written.some(([where]) => /spill|values/.test(where))).toBe(true);
  expect(told.flatMap(([, text]) => text.match(/\[secret:API_KEY\]/g) ?? []).length).toBeGreaterThan(100);

  const manifests: [string, string][] = [...filesUnder(workspace)].filter(([where]) =>
    where.endsWith('.agent'),
  ) as [string, string][];
  mkdirSync(copy, { recursive: true });
  const everything = [...written, ...filesUnder(data), ...filesUnder(copy), ...manifests, ...told];
  expect(plantedIn([PLANTED, OTHER], everything)).toEqual([]);
  expect(openToOthers(journal)).toEqual([]);
}, 300_000);
