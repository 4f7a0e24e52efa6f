// Where secrets come from: what is refused, with what to do, and never with the value.

import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSource } from '../../core/governance/secret-sources.ts';
import { loadWorkspace } from '../../core/manifest/load-workspace.ts';
import type { SecretStore } from '../../core/model/ports.ts';
import { withoutSecrets } from '../../core/model/process-config.ts';
import { NO_SECRETS, type SecretSource, type SecretsConfig } from '../../core/model/secrets.ts';
import { keychain, type Vaulting } from '../../electron/main/keychain.ts';
import { workspaceOf } from '../support/run-host.ts';
import { PLANTED } from '../support/secrets.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const read = (source: SecretSource, environment = {}, store: SecretStore | null = null): string =>
  readSource('KEY', source, { environment, store });

test('a variable is the whole value; one that is empty is as good as not set', () => {
  expect(read({ kind: 'variable', variable: 'A' }, { A: PLANTED })).toBe(PLANTED);
  expect(() => read({ kind: 'variable', variable: 'A' }, { A: '' })).toThrow('${A} is not set');
});

function file(text: string, mode = 0o600): string {
  const path = join(tempDirectory(), 'key');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

test('a file of this user alone is read without the end of its line', () => {
  for (const end of ['', '\n', '\r\n'])
    expect(read({ kind: 'file', path: file(PLANTED + end) })).toBe(PLANTED);
  expect(read({ kind: 'file', path: file(PLANTED, 0o400) })).toBe(PLANTED);
});

test.each([0o640, 0o604, 0o644, 0o660])(
  'a file that others may read is refused (mode %o), with what to do',
  (mode) => {
    const path = file(PLANTED, mode);
    expect(() => read({ kind: 'file', path })).toThrow(`chmod 600 ${path}`);
  },
);

test('a link is not followed, nor a directory that is one; what is no file is not read', () => {
  const directory = tempDirectory();
  symlinkSync(file(PLANTED), join(directory, 'link'));
  expect(() => read({ kind: 'file', path: join(directory, 'link') })).toThrow(/is a link/);
  mkdirSync(join(directory, 'real'));
  writeFileSync(join(directory, 'real', 'key'), PLANTED, { mode: 0o600 });
  symlinkSync(join(directory, 'real'), join(directory, 'way'));
  expect(() => read({ kind: 'file', path: join(directory, 'way', 'key') })).toThrow(/is a link/);
  expect(() => read({ kind: 'file', path: join(directory, 'real') })).toThrow(/it is no file/);
  expect(() => read({ kind: 'file', path: join(directory, 'none') })).toThrow(/is not there/);
  expect(() => read({ kind: 'file', path: file('x'.repeat(100_000)) })).toThrow(/100000 bytes/);
});

test('a value that can not be told from other text is refused, and not said', () => {
  for (const value of ['Zq-1', 'effect_started', '**********', 'x'.repeat(5_000)]) {
    const refused = (): string => read({ kind: 'variable', variable: 'A' }, { A: value });
    expect(refused).toThrow(/can't be a secret/);
    expect(refused).not.toThrow(value);
  }
});

test('a host without a keychain says so', () => {
  expect(() => read({ kind: 'keychain', entry: 'mine' })).toThrow(/only the desktop console does/);
});

/** As Electron's, with a cipher that anybody sees through. */
const vaulting = (more: Partial<Vaulting> = {}): Vaulting => ({
  isEncryptionAvailable: () => true,
  encryptString: (text) => Buffer.from([...Buffer.from(text)].map((byte) => byte ^ 0x5a)),
  decryptString: (bytes) => Buffer.from([...bytes].map((byte) => byte ^ 0x5a)).toString(),
  ...more,
});

test('the keychain keeps what is encrypted, in a file of this user alone', () => {
  const path = join(tempDirectory(), 'data', 'keychain.json');
  const options = { platform: 'linux', path, allowPlainText: false } as const;
  const store = keychain({
    ...options,
    safeStorage: vaulting({ getSelectedStorageBackend: () => 'gnome_libsecret' }),
  });
  expect(store.read('mine')).toBeNull();
  store.write('mine', PLANTED);
  store.write('other', 'another-one-1');
  expect(read({ kind: 'keychain', entry: 'mine' }, {}, store)).toBe(PLANTED);
  expect(readFileSync(path, 'utf8')).not.toContain(PLANTED);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
});

test('where the keychain would be plain text it is said, and refused unless it is allowed', () => {
  const path = join(tempDirectory(), 'keychain.json');
  const safeStorage = vaulting({ getSelectedStorageBackend: () => 'basic_text' });
  const options = { safeStorage, platform: 'linux', path } as const;
  const refusing = keychain({ ...options, allowPlainText: false });
  expect(() => refusing.write('mine', PLANTED)).toThrow(/as good as plain text/);
  const allowing = keychain({ ...options, allowPlainText: true });
  allowing.write('mine', PLANTED);
  expect(allowing.read('mine')).toBe(PLANTED);
  expect(() => refusing.read('mine')).toThrow(/as good as plain text/);
  const none = keychain({
    ...options,
    safeStorage: vaulting({ isEncryptionAvailable: () => false }),
    allowPlainText: true,
  });
  expect(() => none.write('mine', PLANTED)).toThrow(/has no keychain/);
});

test('a keychain file that is broken is not written over', () => {
  const path = join(tempDirectory(), 'keychain.json');
  writeFileSync(path, '{"mine":');
  const store = keychain({ safeStorage: vaulting(), platform: 'darwin', path, allowPlainText: false });
  expect(() => store.write('mine', PLANTED)).toThrow(/can't be used/);
  expect(readFileSync(path, 'utf8')).toBe('{"mine":');
});

function manifest(secrets: string): { readonly config: SecretsConfig | undefined; readonly problem: string } {
  const workspace = workspaceOf({ clerk: '' }, `secrets:\n${secrets.trim().replaceAll(/^/gm, '  ')}\n`);
  const { definitions, problems } = loadWorkspace(workspace);
  return { config: definitions[0]?.config.secrets, problem: problems.map(({ message }) => message).join() };
}

test("every key, with Promptise's defaults", () => {
  const { config, problem } = manifest(`
secrets:
  API_KEY: "\${API_KEY}"
  db.password: "file:keys/db"
  mail: "keychain:mail/main"
default_ttl: 3600
ttls: { API_KEY: 60 }
revoke_on_stop: false`);
  expect(problem).toBe('');
  expect(config).toMatchObject({
    sources: {
      API_KEY: { kind: 'variable', variable: 'API_KEY' },
      'db.password': { kind: 'file', path: expect.stringMatching(/agents\/keys\/db$/) },
      mail: { kind: 'keychain', entry: 'mail/main' },
    },
    ttlsMs: { API_KEY: 60_000, 'db.password': 3_600_000, mail: 3_600_000 },
    revokeOnStop: false,
    withheld: ['API_KEY'],
  });
  expect(manifest('enabled: false\nsecrets: { A: "${B}" }').config).toEqual({
    ...NO_SECRETS,
    withheld: ['B'],
  });
});

test.each([
  ['secrets: { KEY: "hunter2hunter2" }', /the value itself stands in the manifest.*\$\{KEY\}.*file:<path>/],
  ['secrets: { KEY: "Bearer ${A}" }', /a variable is the whole value/],
  ['secrets: { KEY: "${A:-hunter2hunter2}" }', /a variable is the whole value/],
  ['secrets: { "a key": "${A}" }', /the name of a secret begins with a letter/],
  ['secrets: { KEY: "keychain:a b" }', /the name of a keychain entry/],
  ['ttls: { KEY: 5 }', /there is no secret of this name; there are: none/],
  ['secrets: { KEY: "${A}" }\nttls: { KEY: 0 }', /ttls.KEY/],
  ['default_ttl: -1', /default_ttl/],
  ['default_ttl: .nan', /default_ttl/],
  ['default_ttl: 1e12', /a year at most/],
  [
    'revoke: true',
    /"revoke", which is not a setting; there are enabled, secrets, default_ttl, ttls, revoke_on_stop/,
  ],
])('%s is refused, in one clear sentence and without the value', (text, why) => {
  const { problem } = manifest(text);
  expect(problem).toMatch(why);
  expect(problem).not.toContain('hunter2');
});

test('a literal is taken where the manifest insists, and is not in what is kept of its configuration', () => {
  const workspace = workspaceOf(
    { clerk: '' },
    'secrets:\n  secrets: { KEY: "hunter2hunter2" }\n  holdfast: { allow_literals: true }\n',
  );
  const [definition] = loadWorkspace(workspace).definitions;
  expect(definition!.config.secrets.sources).toEqual({ KEY: { kind: 'literal', value: 'hunter2hunter2' } });
  expect(JSON.stringify(withoutSecrets(definition!.config))).not.toContain('hunter2');
});

test('what is no YAML is told by its place, and not by its text', () => {
  const workspace = workspaceOf({ clerk: '' }, 'secrets:\n  secrets: { KEY: "hunter2hunter2\n');
  const { problems } = loadWorkspace(workspace);
  expect(problems[0]?.message).toMatch(/is not YAML: .*line \d+/);
  expect(problems[0]?.message).not.toContain('hunter2');
});

test('the variable that a webhook is signed with is kept from workers too', () => {
  const workspace = workspaceOf(
    { clerk: '' },
    'triggers:\n  - { type: webhook, webhook_port: 19090, hmac_secret: "${HF_SIGN:-something-else-1}" }\n',
  );
  expect(loadWorkspace(workspace).definitions[0]!.config.secrets.withheld).toEqual(['HF_SIGN']);
});
