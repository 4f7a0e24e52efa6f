// The `holdfast` command at a workspace: one that was never run, one that somebody runs, and where it was typed.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HOLDFAST, holdfast, mapLimited, startNode } from '../support/child.ts';
import { LOOKING } from '../support/command-journals.ts';
import { endsWithTest } from '../support/ends-with-test.ts';
import { treeHash } from '../support/fixtures.ts';
import { heldJournal } from '../support/held-journal.ts';
import { workspaceOf } from '../support/run-host.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

describe('a workspace', () => {
  const unrun = (name: string): string => {
    const workspace = join(tempDirectory(), name);
    mkdirSync(workspace);
    writeFileSync(join(workspace, 'clerk.agent'), 'version: "1.0"\nname: clerk\n');
    return workspace;
  };
  const npm = (INIT_CWD: string): { env: NodeJS.ProcessEnv } => ({
    env: { ...process.env, npm_lifecycle_event: 'holdfast', INIT_CWD },
  });

  test('that was never run is early, not wrong: how to run it, exit code 3, and no trace', async () => {
    const workspace = unrun('agents');
    const before = treeHash(workspace);
    for (const { code, stdout, stderr } of await mapLimited(LOOKING, 2, ([, args]) =>
      holdfast(args(workspace)),
    )) {
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
      expect(stderr).toBe(
        `holdfast: ${workspace} is a workspace that has not been run yet. To run it: holdfast run ${workspace}\n`,
      );
    }
    expect(treeHash(workspace)).toBe(before);
  });

  test('under npm, where it was typed counts, and the line to type is the one that works there', async () => {
    const workspace = unrun("ana's agents");
    const [here, named, elsewhere] = await Promise.all([
      holdfast(['status'], npm(workspace)),
      holdfast(['status', "ana's agents"], npm(join(workspace, '..'))),
      holdfast(['status', 'nowhere'], npm(workspace)),
    ]);
    const line = `To run it: npm run -s holdfast -- run '${workspace.replace("'", String.raw`'\''`)}'\n`;
    for (const { code, stderr } of [here, named]) {
      expect(code).toBe(3);
      expect(stderr.endsWith(line), stderr).toBe(true);
    }
    expect(elsewhere.stderr).toContain(join(workspace, 'nowhere'));
  });

  test('that is run says of a process that waits again that its last run failed, and `show` why', async () => {
    const workspace = workspaceOf(
      { clerk: "throw new Error('the key is missing')" },
      'config: { trigger_delivery: { max_retries: 0 } }\n',
    );
    const env = { ...process.env, HOLDFAST_DATA: tempDirectory() };
    const host = startNode(HOLDFAST, ['run', workspace], { env });
    endsWithTest(host);
    await waitFor(() => host.stdout().includes('clerk'), { what: 'the host' });
    expect(await holdfast(['trigger', workspace, 'clerk'], { env })).toMatchObject({ code: 0 });
    await waitFor(() => host.stdout().includes('its last run failed: the key is missing; waiting'), {
      what: 'the failure',
    });
    const { stdout } = await holdfast(['show', workspace, 'clerk'], { env });
    expect(stdout).toMatch(/^dead letters: 1, the newest: .*the key is missing.* · all of them: .* clerk$/m);
  });

  test('is not to be run once more while somebody runs it', async () => {
    const workspace = unrun('agents');
    const holder = await heldJournal(join(workspace, '.holdfast-journal'));
    const held = await holdfast(['status', workspace]);
    expect(held).toMatchObject({ code: 0, stderr: '' });
    expect(held.stdout).not.toContain('To run it');
    holder.process.kill('SIGKILL');
    await holder.ended;
    expect((await holdfast(['status', workspace])).stdout).toContain(
      `To run it: holdfast run ${workspace}\n`,
    );
  });
});
