// S5  Agents write `import { defineAgent } from "holdfast"` wherever they lie; the worker answers that name itself.

import { registerHooks } from 'node:module';

/** Makes the bare name `holdfast` mean the module at `url` for everything that is imported from now on. */
export function resolveHoldfast(url: string): void {
  registerHooks({
    resolve: (specifier, context, nextResolve) =>
      specifier === 'holdfast' ? { url, shortCircuit: true } : nextResolve(specifier, context),
  });
}
