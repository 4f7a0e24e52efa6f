// A dry run of the packer: the real configuration and the real build, around a directory that only looks like Electron,
// since Electron's own has to be downloaded. What is in the archive depends on neither.

import { listPackage } from '@electron/asar';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builderConfiguration, project } from './configuration.ts';

const { version } = JSON.parse(readFileSync(join(project, 'node_modules/electron/package.json'), 'utf8')) as {
  readonly version: string;
};

// The pretended Electron is one for Linux: the others' need a real executable to write into.
describe.skipIf(process.platform !== 'linux')('the archive', () => {
  let directory = '';
  let resources = '';
  let packed: readonly string[] = [];

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'holdfast-packaging-'));
    resources = join(directory, 'out/linux-unpacked/resources');
    const electron = join(directory, 'electron');
    mkdirSync(join(electron, 'resources'), { recursive: true });
    writeFileSync(join(electron, 'electron'), '#!/bin/sh\n');
    chmodSync(join(electron, 'electron'), 0o755);
    writeFileSync(join(electron, 'version'), version);

    if (!existsSync(join(project, 'dist/main/main.js'))) {
      execFileSync(process.execPath, ['electron/build.ts'], { cwd: project, stdio: 'inherit' });
    }
    // Fuses are flipped in a real binary; their values are asserted as data.
    const { electronFuses: _, ...configuration } = builderConfiguration();
    const file = join(directory, 'electron-builder.json');
    const changes = {
      electronDist: electron,
      directories: { buildResources: 'resources', output: join(directory, 'out') },
    };
    writeFileSync(file, JSON.stringify({ ...configuration, ...changes }));
    const builder = join(project, 'node_modules/electron-builder/cli.js');
    execFileSync(
      process.execPath,
      [builder, '--linux', 'dir', '--x64', '--config', file, '--publish', 'never'],
      {
        cwd: project,
        stdio: 'pipe',
      },
    );
    packed = listPackage(join(resources, 'app.asar'), { isPack: false }).map((path) =>
      path.replaceAll('\\', '/'),
    );
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test('holds the build and the one dependency that can’t be in it', () => {
    const tops = new Set(packed.map((path) => path.split('/').slice(1, 3).join('/')));
    expect([...tops].sort()).toEqual(
      [
        'dist',
        'dist/icons',
        'dist/main',
        'dist/preload',
        'dist/renderer',
        'dist/worker',
        'node_modules',
        'node_modules/better-sqlite3',
        'package.json',
      ].sort(),
    );
    for (const file of ['main/main.js', 'preload/preload.cjs', 'renderer/index.html', 'worker/worker.js']) {
      expect(packed).toContain(`/dist/${file}`);
    }
  });

  test('holds no sources, maps, tests or tools', () => {
    const strangers = packed.filter((path) =>
      /\.(map|ts|tsx|tsbuildinfo|gyp|cpp|hpp|[ch])$|\/(test|tests|deps|src)\//.test(path),
    );
    expect(strangers).toEqual([]);
  });

  test('every module that the build imports is in it, in Node or in Electron', () => {
    const build = packed.filter((path) => /^\/dist\/(main|worker)\/.*\.js$/.test(path));
    const unknown = build.flatMap((path) => {
      const source = readFileSync(join(project, path), 'utf8');
      const imports = source.matchAll(/^(?:import|export)\b[^;'"]*?["']([^."'][^"']*)["']/gm);
      return [...imports]
        .map(([, name]) => name ?? '')
        .filter((name) => !isBuiltin(name) && !/^(electron|better-sqlite3)$/.test(name));
    });
    expect(unknown).toEqual([]);
  });

  test('one addon lies outside of it, the one of the platform, and nothing else', () => {
    const addon = 'node_modules/better-sqlite3/prebuilds/linux-x64.node';
    expect(packed.filter((path) => path.endsWith('.node'))).toEqual([`/${addon}`]);
    const outside = readdirSync(join(resources, 'app.asar.unpacked'), {
      recursive: true,
      withFileTypes: true,
    })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    expect(outside).toEqual([join(resources, 'app.asar.unpacked', addon)]);
  });

  test('the tray’s pictures and the demo lie beside it, where they are read as files', () => {
    for (const icon of ['ok', 'attention', 'alarm', 'idle']) {
      expect(existsSync(join(resources, `tray/${icon}.png`))).toBe(true);
      expect(existsSync(join(resources, `tray/${icon}Template@2x.png`))).toBe(true);
    }
    expect(readdirSync(join(resources, 'demo'))).toEqual(readdirSync(join(project, 'resources/demo')));
  });
});
