import { registerHooks } from 'node:module';

const NAMES = new Set(['electron', 'electron/main', 'electron/common']);

/** From here on, importing `electron` gives the module at `url`, not the npm package, which would download a binary. */
export function mapElectron(url: string): void {
  registerHooks({
    resolve: (specifier, context, next) =>
      NAMES.has(specifier)
        ? { url, format: 'module-typescript', shortCircuit: true }
        : next(specifier, context),
  });
}
