import { Ajv, type AnySchema } from 'ajv';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderIcons } from '../../electron/icons.ts';
import { builderConfiguration, project } from './configuration.ts';

const configuration = builderConfiguration();
const text = (path: string): string => readFileSync(join(project, path), 'utf8');

describe('electron-builder.yml', () => {
  const schema = JSON.parse(text('node_modules/app-builder-lib/scheme.json')) as AnySchema;
  const validate = new Ajv({ allErrors: true, strict: false }).compile(schema);

  test('is what the pinned electron-builder understands', () => {
    expect(validate(configuration)).toBe(true);
    expect(validate.errors).toBeNull();
  });

  test('and a slip of the pen would be noticed', () => {
    expect(validate({ ...configuration, electronFuse: {} })).toBe(false);
    expect(validate({ ...configuration, npmRebuild: 'no' })).toBe(false);
  });

  test('makes what each platform installs', () => {
    expect(configuration.linux.target).toEqual(['AppImage', 'deb']);
    expect(configuration.mac.target).toEqual(['dmg', 'zip']);
    expect(configuration.win.target).toEqual(['nsis']);
  });

  test('names the same application as main does', () => {
    expect(text('electron/main/main.ts')).toContain(`'${configuration.appId}'`);
  });

  test('the addon is not rebuilt: it comes built', () => {
    expect(configuration.npmRebuild).toBe(false);
  });

  test('every picture that it names is drawn', async () => {
    const out = mkdtempSync(join(tmpdir(), 'holdfast-icons-'));
    try {
      await renderIcons(join(project, 'resources'), out);
      const drawn = (path: string): boolean => existsSync(join(out, path.replace(/^(\.\.\/)?dist\//, '')));
      const { linux, mac, win, fileAssociations } = configuration;
      const icons = [linux.icon, mac.icon, win.icon];
      const documents = [...fileAssociations, ...mac.fileAssociations].map(({ icon }) => icon ?? '');
      const named = [...icons, ...documents.flatMap((path) => [`${path}.icns`, `${path}.ico`])];
      expect(named.filter((path) => !drawn(path))).toEqual([]);
      expect(existsSync(join(out, 'tray/alarm.png'))).toBe(true);
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  });
});

describe('what is shipped is locked down', () => {
  test('every fuse is set, to the safe side', () => {
    expect(configuration.electronFuses).toEqual({
      runAsNode: false,
      enableCookieEncryption: true,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      loadBrowserProcessSpecificV8Snapshot: false,
      grantFileProtocolExtraPrivileges: false,
    });
  });

  test('the sandbox is never switched off', () => {
    expect(text('electron-builder.yml')).not.toMatch(/no-sandbox|executableArgs/);
  });

  test('macOS: the hardened runtime, with the one exception that the engine needs', () => {
    const { mac } = configuration;
    expect(mac.hardenedRuntime).toBe(true);
    expect(mac.entitlementsInherit).toBe(mac.entitlements);
    const granted = [...text(mac.entitlements).matchAll(/<key>(.*?)<\/key>/g)].map(([, key]) => key);
    expect(granted).toEqual(['com.apple.security.cs.allow-jit']);
  });
});

describe('opening a journal from the desktop', () => {
  test('the marker is a kind of file of its own, and directories are not claimed', () => {
    expect(configuration.fileAssociations).toMatchObject([
      { ext: 'holdfast', mimeType: 'application/vnd.holdfast.journal+json' },
    ]);
    expect(text('electron-builder.yml')).not.toContain('inode/directory');
  });

  test('macOS opens a journal directory like a file', () => {
    expect(configuration.mac.fileAssociations).toMatchObject([{ ext: 'holdfast', isPackage: true }]);
  });

  test('Windows: the menu of a directory has an entry, and uninstalling takes out what installing wrote', () => {
    const script = text(configuration.nsis.include);
    const part = (name: string): string =>
      new RegExp(`!macro ${name}\\n([\\s\\S]*?)!macroend`).exec(script)?.[1] ?? '';
    const keys = (source: string): readonly string[] => [
      ...new Set([...source.matchAll(/SHELL_CONTEXT "(\$\{\w+\})/g)].map(([, key]) => key ?? '')),
    ];
    expect(part('customInstall')).toContain('"$appExe" "%V"');
    expect(keys(part('customInstall'))).toHaveLength(2);
    expect(keys(part('customUnInstall'))).toEqual(keys(part('customInstall')));
    expect(resolve(project, configuration.nsis.include)).toContain('resources');
  });
});
