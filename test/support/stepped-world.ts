// What agents in this process act on, and what became of it.

import type { EffectClass } from '../../core/model/effects.ts';
import type { Opinion } from '../../core/agent/index.ts';
import { ofTheLiving } from './workers-in-process.ts';

export const ERRANDS = ['count', 'effects', 'promise', 'sleep', 'signal', 'fail'] as const;
export type Errand = (typeof ERRANDS)[number];

export interface Deed {
  readonly name: string;
  readonly effectClass: EffectClass;
  readonly key: string;
}

const MAX_TURNS = 6;
const REFUSES = 0.04;
const LOSES = 0.04;
/** Of each way in which a judge fails. */
const FAILS = 0.12;

export class World {
  /** Everything that was done, also what was done again under the same key. */
  readonly deeds: Deed[] = [];
  readonly #random: () => number;
  /** Does at once, and well, what it is asked to. */
  isKind = false;

  constructor(random: () => number) {
    this.#random = random;
  }

  async perform(deed: Deed): Promise<{ readonly result: string } | 'refused' | 'lost'> {
    await this.#aWhile();
    const chance = this.isKind ? 1 : this.#random();
    if (chance < REFUSES) return 'refused';
    const isKnown = this.deeds.some(({ key }) => key === deed.key);
    if (deed.effectClass !== 'idempotent' || !isKnown) this.deeds.push(deed);
    await this.#aWhile();
    return chance < REFUSES + LOSES ? 'lost' : { result: resultOf(deed) };
  }

  /** What a judge says of it: sometimes nonsense, sometimes nothing at all. */
  async opinion(): Promise<Opinion> {
    await this.#aWhile();
    const chance = this.isKind ? 1 : this.#random();
    if (chance < FAILS) throw new Error('the judge is out of order');
    if (chance < 2 * FAILS) return { achieved: true, confidence: NaN };
    if (chance < 3 * FAILS) await new Promise<never>(() => {});
    const confidence = Math.round(this.#random() * 100) / 100;
    return { achieved: this.#random() < 0.3, confidence, progress: confidence };
  }

  async find(key: string): Promise<string | null> {
    await this.#aWhile();
    return this.look(key);
  }

  look(key: string): string | null {
    const deed = this.deeds.find((other) => other.key === key);
    return deed === undefined ? null : resultOf(deed);
  }

  async #aWhile(): Promise<void> {
    const turns = this.isKind ? 1 : 1 + Math.floor(this.#random() * MAX_TURNS);
    for (let turn = 0; turn < turns; turn += 1) await ofTheLiving();
  }
}

function resultOf({ name }: Deed): string {
  return `${name} is done`;
}

const worlds = new Map<string, World>();

/** By the name of the process that acts on it. */
export function worldOf(process: string): World {
  return worlds.get(process)!;
}

export function makeWorld(process: string, random: () => number): World {
  const world = new World(random);
  worlds.set(process, world);
  return world;
}

export function endWorld(process: string): void {
  worlds.delete(process);
}
