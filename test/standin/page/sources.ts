import { createBridge } from './bridge.ts';
import { isolatedWorld, type IsolatedWorldOptions } from './isolated-world.ts';
import { mainWorld, type MainWorldOptions } from './main-world.ts';
import { createRenderer } from './renderer.ts';
import { VALUES_SOURCE } from './values.ts';

const wrap = (...parts: readonly unknown[]): string => `(() => {\n${parts.join('\n')}\n})();`;

/** The functions of this folder as text for the page's own world. */
export function mainWorldSource(options: MainWorldOptions): string {
  return wrap(createBridge, mainWorld, `mainWorld(${JSON.stringify(options)});`);
}

/** The same for the isolated world, with the preload script at its end. */
export function isolatedWorldSource(options: IsolatedWorldOptions, preload: string): string {
  return wrap(
    VALUES_SOURCE,
    createBridge,
    createRenderer,
    isolatedWorld,
    `isolatedWorld(${JSON.stringify(options)}, (require, module, exports, process) => {\n${preload}\n});`,
  );
}
