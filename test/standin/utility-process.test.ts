import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { needChromium, FIXTURE, launchFixture, scratch, until } from './launch.ts';

const WORKER = join(FIXTURE, 'worker.ts');

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('a utility process', () => {
  beforeEach(needChromium);

  it('talks to main both ways, and says how it ended', async () => {
    await using fixture = await launchFixture();
    const seen = await fixture.inMain(async ({ utilityProcess }, path) => {
      const heard: unknown[] = [];
      const child = utilityProcess.fork(path, [], { serviceName: 'worker' });
      child.on('message', (message: unknown) => {
        heard.push(message);
        child.postMessage(message === 'up' ? { n: 21 } : 'exit', []);
      });
      const code = await new Promise((resolve) => child.once('exit', resolve));
      return { heard, code, pid: child.pid };
    }, WORKER);
    expect(seen).toEqual({ heard: ['up', { doubled: 42, type: 'utility' }], code: 3, pid: undefined });
  });

  it('keeps what it is sent before it listens, and can be ended', async () => {
    await using fixture = await launchFixture();
    const seen = await fixture.inMain(async ({ utilityProcess }, path) => {
      const child = utilityProcess.fork(path, [], { stdio: 'pipe' });
      child.postMessage({ n: 1 }, []);
      const answer = await new Promise((resolve) => {
        child.on('message', (message: unknown) => message !== 'up' && resolve(message));
      });
      const ended = new Promise((resolve) => child.once('exit', resolve));
      const killed = child.kill();
      await ended;
      return { answer, killed, piped: child.stdout !== null };
    }, WORKER);
    expect(seen).toEqual({ answer: { doubled: 2, type: 'utility' }, killed: true, piped: true });
  });

  it('goes with main even while it computes', async () => {
    const fixture = await launchFixture({ FIXTURE_DATA: scratch() });
    const pid = await fixture.inMain(
      ({ utilityProcess }, path) =>
        new Promise<number>((resolve) => {
          const child = utilityProcess.fork(path);
          child.on('message', () => {
            child.postMessage('spin', []);
            resolve(child.pid!);
          });
        }),
      WORKER,
    );
    expect(isAlive(pid)).toBe(true);
    process.kill(fixture.app.process().pid!, 'SIGKILL');
    await until(() => !isAlive(pid));
  });
});
