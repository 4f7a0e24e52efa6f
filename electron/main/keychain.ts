// Secrets that this user's keychain keeps, encrypted at rest: the key is the operating system's, and what it encrypts lies in a
// file of the user's data folder that nobody else may read.

import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError, codeOf, messageOf } from '../../core/model/errors.ts';
import type { SecretStore } from '../../core/model/ports.ts';

/** What of Electron's `safeStorage` is needed. */
export interface Vaulting {
  isEncryptionAvailable(): boolean;
  encryptString(text: string): Buffer;
  decryptString(bytes: Buffer): string;
  /** Linux alone has it: which keyring is used. */
  getSelectedStorageBackend?(): string;
  /** And only so encrypts without a keyring. */
  setUsePlainTextEncryption?(isUsed: boolean): void;
}

export interface KeychainOptions {
  readonly safeStorage: Vaulting;
  readonly platform: NodeJS.Platform;
  /** Where what is encrypted lies. */
  readonly path: string;
  /** Somebody insists that a file which whoever reads it can decrypt will do. */
  readonly allowPlainText: boolean;
}

const PRIVATE_FILE = 0o600;
const PRIVATE_DIRECTORY = 0o700;

/** Looked at when it is asked for: the system may have to be unlocked first. */
export function keychain({ safeStorage, platform, path, allowPlainText }: KeychainOptions): SecretStore {
  const refuseUnsafe = (): void => {
    // There it encrypts with a password that is the same for everybody.
    const isPlain = platform === 'linux' && safeStorage.getSelectedStorageBackend?.() === 'basic_text';
    if (isPlain && !allowPlainText) {
      throw new AppError(
        'keychain.plain-text',
        'This system has no keyring (no GNOME Keyring and no KWallet), so what is kept would be as good as plain text to whoever can read the file. Nothing is kept so unless HOLDFAST_ALLOW_PLAIN_TEXT_SECRETS=1 allows it; install a keyring, or give the secret as a variable or a file.',
      );
    }
    if (isPlain) safeStorage.setUsePlainTextEncryption?.(true);
    if (safeStorage.isEncryptionAvailable()) return;
    throw new AppError(
      'keychain.unavailable',
      'This system has no keychain that can be used now: unlock it, or give the secret as a variable or a file.',
    );
  };
  return {
    read: (entry) => {
      const kept = readKept(path)[entry];
      if (kept === undefined) return null;
      refuseUnsafe();
      try {
        return safeStorage.decryptString(Buffer.from(kept, 'base64'));
      } catch (error) {
        throw new AppError(
          'keychain.unreadable',
          `The keychain entry ${entry} can't be decrypted (${messageOf(error)}): it was encrypted by another user or on another machine. Rotate the secret.`,
          { entry },
        );
      }
    },
    write: (entry, value) => {
      refuseUnsafe();
      const encrypted = safeStorage.encryptString(value).toString('base64');
      writeKept(path, { ...readKept(path), [entry]: encrypted });
    },
  };
}

type Kept = Readonly<Record<string, string>>;

function readKept(path: string): Kept {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return {};
    throw unusable(path, error);
  }
  try {
    const kept = JSON.parse(text) as unknown;
    if (
      typeof kept === 'object' &&
      kept !== null &&
      Object.values(kept).every((one) => typeof one === 'string')
    ) {
      return kept as Kept;
    }
    throw new Error('it holds something else');
  } catch (error) {
    // Written anew it would lose whatever else is in it.
    throw unusable(path, error);
  }
}

/** Whole or not at all. */
function writeKept(path: string, kept: Kept): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_DIRECTORY });
    const part = `${path}.part`;
    writeFileSync(part, JSON.stringify(kept), { mode: PRIVATE_FILE, flush: true });
    chmodSync(part, PRIVATE_FILE);
    renameSync(part, path);
  } catch (error) {
    throw unusable(path, error);
  }
}

function unusable(path: string, error: unknown): AppError {
  return new AppError(
    'keychain.unusable',
    `The keychain's file ${path} can't be used: ${messageOf(error)}. Mend it, or move it away and rotate what was in it.`,
    { path, code: codeOf(error) },
  );
}
