// The configuration that is in force: the manifest's, and over it what people changed while the process lives. Each change is
// an entry before it is in force, and comes back with the journal.

import { configWith } from '../manifest/live-sections.ts';
import { AppError, messageOf } from '../model/errors.ts';
import { define, hasRawNumber, isObject, sameJson, type Json, type JsonObject } from '../model/json.ts';
import type { ProcessConfig } from '../model/process-config.ts';
import {
  MAX_SETTING_PATH,
  MAX_SETTINGS,
  valueAt,
  valuesOf,
  type LiveSettings as Settings,
  type SettingChange,
} from '../model/settings.ts';
import type { Actor } from './lifecycle-driver.ts';
import type { Recorder } from './recorder.ts';

/** What an operator wants otherwise. */
export interface SettingsOrder {
  /** By path; null takes a setting away. */
  readonly set: Readonly<Record<string, Json>>;
  /** Paths that are to be as the manifest has them. */
  readonly undo: readonly string[];
}

export interface LiveSettingsOptions {
  readonly process: string;
  readonly config: ProcessConfig;
  readonly recorder: () => Recorder;
}

export class LiveSettings {
  readonly #options: LiveSettingsOptions;
  #inForce: { readonly of: Settings; readonly config: ProcessConfig };

  constructor(options: LiveSettingsOptions) {
    this.#options = options;
    this.#inForce = { of: {}, config: options.config };
  }

  get #settings(): Settings {
    return this.#options.recorder().snapshot.settings;
  }

  /** What is in force now. Asked for before every effect, so it is worked out once for each change. */
  get config(): ProcessConfig {
    const settings = this.#settings;
    if (settings !== this.#inForce.of) this.#inForce = { of: settings, config: this.#worked(settings) };
    return this.#inForce.config;
  }

  /** What no longer fits the manifest is not in force; {@link refit} takes it away, on record. */
  #worked(settings: Settings): ProcessConfig {
    try {
      return configWith(this.#options.config, valuesOf(settings));
    } catch (error) {
      if (error instanceof AppError && error.code === 'settings.invalid') return this.#options.config;
      throw error;
    }
  }

  /**
   * What would change; nothing is done.
   * @throws `settings.*`
   */
  plan({ set, undo }: SettingsOrder): readonly SettingChange[] {
    const { config, process } = this.#options;
    const settings = this.#settings;
    const wanted: Record<string, Json> = { ...valuesOf(settings) };
    for (const [path, value] of Object.entries(set)) {
      refuseSetting(path, value, valueAt(config.written, path));
      define(wanted, path, value);
    }
    for (const path of undo) {
      if (!Object.hasOwn(settings, path)) throw asInManifest(process, path, Object.keys(settings));
      if (Object.hasOwn(set, path)) throw saidTwice(path);
      delete wanted[path];
    }
    if (Object.keys(wanted).length > MAX_SETTINGS) throw tooMany(process);
    refuseOverlap(Object.keys(wanted), Object.keys(set));
    configWith(config, wanted);
    return [...Object.keys(set), ...undo].flatMap((path) => {
      const manifest = valueAt(config.written, path);
      const from = Object.hasOwn(settings, path) ? settings[path]!.value : manifest;
      const to = Object.hasOwn(set, path) ? set[path]! : manifest;
      return sameJson(from, to) ? [] : [{ path, manifest, from, to }];
    });
  }

  /**
   * All of it or nothing. Resolves when it is durable, with what changed.
   * @throws `settings.*`, `journal.required`
   */
  async change(order: SettingsOrder, actor: Actor): Promise<readonly SettingChange[]> {
    const { process, recorder } = this.#options;
    if (recorder().level === 'none') throw keepsNothing(process);
    const changes = this.plan(order);
    if (changes.length > 0)
      await recorder().record('settings_changed', entryOf(changes, actor), { synced: true });
    return changes;
  }

  /** A manifest that was changed since may leave no room for what was set beside it. */
  refit(): void {
    const { config, recorder } = this.#options;
    const settings = this.#settings;
    if (Object.keys(settings).length === 0) return;
    try {
      configWith(config, valuesOf(settings));
    } catch (error) {
      const changes = Object.entries(settings).map(([path, { value: from }]) => {
        const manifest = valueAt(config.written, path);
        return { path, manifest, from, to: manifest };
      });
      const reason = `it does not go with the manifest any more, which is in force again: ${messageOf(error)}`;
      recorder().note('settings_changed', entryOf(changes, { name: 'host', reason }));
    }
  }
}

function entryOf(changes: readonly SettingChange[], { name, reason }: Actor): JsonObject {
  return { changes: changes.map((change) => ({ ...change })), actor: name, reason };
}

function refuseSetting(path: string, value: Json, manifest: Json): void {
  if (path.length > MAX_SETTING_PATH)
    throw invalid(`the path of a setting has at most ${MAX_SETTING_PATH} characters`);
  if (hasRawNumber(value)) throw invalid(`${path} has a number of more digits than a setting can have`);
  if (isObject(value) || isObject(manifest)) {
    throw invalid(
      `${path} is not one setting but several; name each by its whole path, as in budget.max_cost_per_day`,
    );
  }
}

/** Of two settings one of which lies inside the other, nobody could say which counts. */
function refuseOverlap(paths: readonly string[], set: readonly string[]): void {
  for (const one of set) {
    const other = paths.find((path) => path.startsWith(`${one}.`) || one.startsWith(`${path}.`));
    if (other !== undefined) throw invalid(`${one} and ${other} are in each other's way; set one of the two`);
  }
}

function invalid(why: string): AppError {
  return new AppError('settings.invalid', `Nothing was changed: ${why}.`);
}

function asInManifest(process: string, path: string, changed: readonly string[]): AppError {
  const those = changed.length === 0 ? 'Nothing is.' : `Changed are ${changed.join(', ')}.`;
  return new AppError(
    'settings.not-changed',
    `${path} of ${process} is as the manifest has it, so there is nothing to take back. ${those}`,
    { process, path },
  );
}

function saidTwice(path: string): AppError {
  return invalid(`${path} is set and taken back at once; say one of the two`);
}

function keepsNothing(process: string): AppError {
  return new AppError(
    'journal.required',
    `${process} keeps no journal, so what is set would be forgotten with its host. Change the manifest, or give it a journal level.`,
    { process },
  );
}

function tooMany(process: string): AppError {
  return new AppError(
    'settings.too-many',
    `${process} would differ from its manifest in more than ${MAX_SETTINGS} places, and no more are kept. Change the manifest.`,
    { process },
  );
}
