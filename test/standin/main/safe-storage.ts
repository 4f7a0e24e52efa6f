const MARK = 'standin-plain:';

/** No keychain: it says so, and what it "encrypts" anyone can read. A test may switch it on. */
export const safeStorage = {
  available: false as boolean,
  isEncryptionAvailable(): boolean {
    return safeStorage.available;
  },
  getSelectedStorageBackend(): 'basic_text' {
    return 'basic_text';
  },
  setUsePlainTextEncryption(use: boolean): void {
    safeStorage.available = use;
  },
  encryptString(text: string): Buffer {
    if (!safeStorage.available)
      throw new Error(
        'Error while encrypting the text provided to safeStorage.encryptString. Encryption is not available.',
      );
    return Buffer.from(MARK + text, 'utf8');
  },
  decryptString(encrypted: Buffer): string {
    const text = encrypted.toString('utf8');
    if (!text.startsWith(MARK))
      throw new Error('Error while decrypting the ciphertext provided to safeStorage.decryptString.');
    return text.slice(MARK.length);
  },
} satisfies Partial<Electron.SafeStorage> & { available: boolean };
