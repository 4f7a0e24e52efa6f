import { execFile, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../core/host/system-clock.ts';
import type { FileWatchTriggerConfig } from '../../core/model/trigger-config.ts';
import { startFileWatch, type RunningFileWatch } from '../../core/triggers/file-watch.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;
/** A look that a busy machine drew out is not rested from for as many times as long. */
const TIMES = { reconcileMs: 100, pollMs: 50, retryMs: 20, rest: 1 };

function configOf(path: string, changed: Partial<FileWatchTriggerConfig> = {}): FileWatchTriggerConfig {
  return {
    type: 'file_watch',
    path,
    patterns: ['*'],
    events: ['created', 'modified', 'deleted', 'moved'],
    debounceMs: 50,
    polling: null,
    filter: null,
    ...changed,
  };
}

async function start(
  path: string,
  changed: Partial<FileWatchTriggerConfig> = {},
  needsPolling?: (path: string) => string | null,
): Promise<{ readonly running: RunningFileWatch; readonly told: string[] }> {
  const told: string[] = [];
  const running = await startFileWatch(configOf(path, changed), {
    clock: systemClock(),
    sink: async ({ payload }) => {
      const { event_type, filename } = payload as Record<string, string>;
      told.push(`${event_type} ${filename}`);
      return { kind: 'accepted', eventId: 'e' };
    },
    times: TIMES,
    ...(needsPolling === undefined ? {} : { needsPolling }),
  });
  onTestFinished(async () => running[Symbol.asyncDispose]());
  return { running, told };
}

interface Line {
  readonly facts: {
    readonly by: string;
    readonly whyPolling: string | null;
    readonly pending: number;
    readonly looks: number;
    readonly problem: { readonly code: string } | null;
  };
  readonly told: readonly string[];
  readonly failed?: string;
}

/** A watch in a process of its own, for what is another user's or has other limits; it writes what it knows. */
function watchElsewhere(
  config: FileWatchTriggerConfig,
  command: readonly string[] = [],
  user?: number,
): () => Line | null {
  const at = (path: string): string => JSON.stringify(pathToFileURL(join(import.meta.dirname, path)).href);
  const program = `
    import { startFileWatch } from ${at('../../core/triggers/file-watch.ts')};
    import { systemClock } from ${at('../../core/host/system-clock.ts')};
    const told = [];
    const say = (line) => console.log(JSON.stringify(line));
    try {
      const running = await startFileWatch(${JSON.stringify(config)}, {
        clock: systemClock(),
        times: ${JSON.stringify(TIMES)},
        sink: async ({ payload }) => {
          told.push(payload.event_type + ' ' + payload.filename);
          return { kind: 'accepted', eventId: 'e' };
        },
      });
      setInterval(() => say({ facts: running.facts, told }), 20);
    } catch (error) {
      say({ failed: error.code });
    }
  `;
  const [file, ...rest] = [
    ...command,
    process.execPath,
    '--no-warnings',
    '--input-type=module',
    '-e',
    program,
  ];
  const child = spawn(file, rest, {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(user === undefined ? {} : { uid: user, gid: user }),
  });
  const gone = new Promise((resolve) => {
    child.once('close', resolve);
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await gone;
  });
  let text = '';
  child.stdout.on('data', (part: Buffer) => {
    text = (text + part.toString()).slice(-100_000);
  });
  return () => {
    const last = text.slice(0, text.lastIndexOf('\n')).split('\n').at(-1);
    return last === undefined || !last.endsWith('}') || !last.startsWith('{')
      ? null
      : (JSON.parse(last) as Line);
  };
}

describe('a path that can not be watched', () => {
  it('is a file, which is said at the start', async () => {
    const file = join(tempDirectory(), 'file');
    writeFileSync(file, '');
    await expect(start(file)).rejects.toThrow(
      expect.objectContaining({ code: 'trigger.not-a-directory', detail: { path: file } }),
    );
  });

  it.each([
    ['below a file', 'file/inside'],
    ['longer than any name', 'a'.repeat(300)],
    ['impossible', 'a\0b'],
  ])('is %s', async (_, name) => {
    const folder = tempDirectory();
    writeFileSync(join(folder, 'file'), '');
    await expect(start(join(folder, name))).rejects.toThrow(
      expect.objectContaining({ code: 'trigger.bad-path' }),
    );
  });

  it('is a link that leads to itself', async () => {
    const link = join(tempDirectory(), 'link');
    symlinkSync('link', link);
    await expect(start(link)).rejects.toThrow(
      expect.objectContaining({
        code: expect.stringMatching(/^trigger\.(bad-path|not-a-directory)$/) as string,
      }),
    );
  });

  it.skipIf(!isRoot)('is in a folder of somebody else [root, to become that somebody]', async () => {
    const folder = tempDirectory();
    chmodSync(folder, 0o755);
    const making = watchElsewhere(configOf(join(folder, 'new')), [], NOBODY);
    expect((await waitFor(making)).failed).toBe('trigger.bad-path');
    mkdirSync(join(folder, 'closed'), { mode: 0o700 });
    const reading = watchElsewhere(configOf(join(folder, 'closed')), [], NOBODY);
    expect((await waitFor(reading)).failed).toBe('trigger.bad-path');
  });
});

it('a path that is not there is made, and one that is a link to a folder is followed', async () => {
  const folder = join(tempDirectory(), 'a', 'b');
  const { told } = await start(folder);
  writeFileSync(join(folder, 'x'), '');
  await waitFor(() => told.includes('created x'));
  const link = join(tempDirectory(), 'link');
  symlinkSync(folder, link);
  const linked = await start(link);
  writeFileSync(join(folder, 'y'), '');
  await waitFor(() => linked.told.includes('created y'));
});

it.skipIf(!isRoot)(
  'what is in a folder that can not be read is not gone, and is no news when it can [root, to become another user]',
  async () => {
    const folder = tempDirectory();
    const at = (name: string): string => join(folder, name);
    for (const name of ['closed', 'closed/deep', 'open']) mkdirSync(at(name));
    for (const name of ['closed/old', 'closed/deep/old', 'open/kept']) writeFileSync(at(name), name);
    for (const name of ['.', 'closed', 'closed/deep', 'open']) chownSync(at(name), NOBODY, NOBODY);
    chmodSync(at('closed'), 0);
    const line = watchElsewhere(configOf(folder), [], NOBODY);
    await waitFor(() => line()?.facts.problem?.code === 'trigger.unreadable');
    writeFileSync(at('open/new'), '');
    await waitFor(() => line()?.told.includes('created new'));
    // Closed, and written to all the same.
    chmodSync(at('open'), 0);
    writeFileSync(at('closed/later'), '');
    await looked(line);
    expect(line()?.told).toEqual(['created new']);
    chmodSync(at('closed'), 0o755);
    await waitFor(() => line()?.told.includes('created later'));
    chmodSync(at('open'), 0o755);
    writeFileSync(at('open/kept'), 'changed');
    await waitFor(() => line()?.told.includes('modified kept'));
    await looked(line);
    expect(line()?.told.toSorted()).toEqual(['created later', 'created new', 'modified kept']);
    expect(line()?.facts.problem).toBeNull();
    // May be listed, and nothing in it looked at.
    chmodSync(at('open'), 0o444);
    await waitFor(() => line()?.facts.problem?.code === 'trigger.unreadable');
    await looked(line);
    chmodSync(at('open'), 0o755);
    await waitFor(() => line()?.facts.problem === null);
    expect(line()?.told).toHaveLength(3);
  },
);

async function looked(line: () => Line | null): Promise<void> {
  const { looks } = (await waitFor(line)).facts;
  await waitFor(() => line()!.facts.looks >= looks + 3 && line()!.facts.pending === 0);
}

const LIMITED = ['unshare', '--user', '--map-root-user', 'sh', '-c'];
const canLimit =
  process.platform === 'linux' &&
  (await promisify(execFile)(LIMITED[0]!, [
    ...LIMITED.slice(1),
    'echo 1 > /proc/sys/user/max_inotify_watches',
  ]).then(
    () => true,
    () => false,
  ));

describe.skipIf(!canLimit)('where there are no more watchers [needs user namespaces]', () => {
  it.each([
    ['ENOSPC', 'max_inotify_watches', 5],
    ['EMFILE', 'max_inotify_instances', 0],
  ])('everything is looked at again and again instead, and why is said: %s', async (code, limit, most) => {
    const folder = tempDirectory();
    for (let n = 0; n < 30; n += 1) mkdirSync(join(folder, `d${n}`));
    const line = watchElsewhere(configOf(folder), [
      ...LIMITED,
      `echo ${most} > /proc/sys/user/${limit} && exec "$0" "$@"`,
    ]);
    await waitFor(() => line()?.facts.by === 'polling');
    expect(line()?.facts.whyPolling).toContain(code);
    writeFileSync(join(folder, 'd29', 'a'), '');
    writeFileSync(join(folder, 'b'), '');
    await waitFor(() => line()!.told.length === 2);
    expect(line()!.told.toSorted()).toEqual(['created a', 'created b']);
  });
});

describe('whether it is polled', () => {
  it('is for the trigger to say, or else for the disk', async () => {
    const folder = tempDirectory();
    const asked: string[] = [];
    const onNfs = (path: string): string => {
      asked.push(path);
      return 'is on NFS';
    };
    const facts = async (
      polling: boolean | null,
      needs?: (path: string) => string | null,
    ): Promise<unknown> => {
      const { by, whyPolling } = (await start(folder, { polling }, needs)).running.facts;
      return [by, whyPolling];
    };
    expect(await facts(null)).toEqual(['hints', null]);
    expect(await facts(null, () => null)).toEqual(['hints', null]);
    expect(await facts(null, onNfs)).toEqual(['polling', 'is on NFS']);
    expect(await facts(true)).toEqual(['polling', 'the trigger asks for it']);
    expect(await facts(false, onNfs)).toEqual(['hints', null]);
    expect(asked).toEqual([folder, folder]);
  });

  it('a disk of the network is watched as any other', async () => {
    const folder = tempDirectory();
    writeFileSync(join(folder, 'a'), '');
    const { told } = await start(folder, {}, () => 'is on NFS');
    writeFileSync(join(folder, 'a'), 'x');
    mkdirSync(join(folder, 'sub'));
    writeFileSync(join(folder, 'sub', 'b'), 'x');
    await waitFor(() => told.length === 2);
    expect(told.toSorted()).toEqual(['created b', 'modified a']);
  });
});

it.skipIf(process.platform !== 'linux')('a name that is no text is told of as a problem', async () => {
  const folder = tempDirectory();
  const { running, told } = await start(folder);
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/a`), Buffer.from([0xff])]), '');
  writeFileSync(join(folder, 'b\uFFFD'), '');
  await waitFor(() => running.facts.problem?.code === 'trigger.unreadable-name');
  expect(running.facts.problem?.message).toContain(dirname(join(folder, 'a')));
  await waitFor(() => told.includes('created b\uFFFD'));
});
