// What a recorded run may leave behind. Pure: from a record to directories as values.
//
// After `kill -9` the cache survives: any prefix of the operations, the last write torn. After a power cut only what was
// synced is sure: cached-file.ts and cached-names.ts say what else may be there. Every state says at which operation the
// world ended and what went wrong, so that it can be found again.

import { cutsOf, PAGE_BYTES } from './cached-file.ts';
import { DiskModel, type CrashState, type Write } from './disk-model.ts';
import type { Operation, Recording, Tree } from './operations.ts';
import { sample, seeded } from './random.ts';
import { hashTree } from './trees.ts';

export type { CrashState } from './disk-model.ts';

export interface StateOptions {
  /** At most so many states of one crash point. */
  readonly perPoint?: number;
  /** Of a power cut, only what comes of the order in which names reach the disk. */
  readonly isNamesOnly?: boolean;
  /** Of a power cut, so many more with anything anywhere. */
  readonly randomPerPoint?: number;
  readonly seed?: number;
  /** Which operations the world may end before; all of them unless given. */
  readonly isChosen?: (point: number) => boolean;
}

/** What `kill -9` may leave; a sample of it, the same for the same seed. */
export function* kills(recording: Recording, options: StateOptions = {}): Generator<CrashState> {
  const { perPoint = Infinity, seed = 1, isChosen = () => true } = options;
  const random = seeded(seed);
  const model = new DiskModel(recording);
  for (const [point, operation] of recording.operations.entries()) {
    if (isChosen(point) && changesTheCache(operation)) {
      yield model.killed(point, null);
      const torn = operation.kind === 'write' ? tornAt(operation, model.sizeOf(operation.file)) : [];
      for (const cut of sample(torn, perPoint - 1, random)) {
        yield model.killed(point, {
          ...(operation as Write),
          bytes: (operation as Write).bytes.subarray(0, cut),
        });
      }
    }
    model.apply(point, operation);
  }
  if (isChosen(recording.operations.length)) yield model.killed(recording.operations.length, null);
}

/** What a power cut may leave; a sample of it, the same for the same seed. */
export function* powerCuts(recording: Recording, options: StateOptions = {}): Generator<CrashState> {
  const { perPoint = Infinity, randomPerPoint = 0, seed = 1, isChosen = () => true } = options;
  const { isNamesOnly = false } = options;
  const random = seeded(seed);
  const model = new DiskModel(recording);
  for (let point = 0; point <= recording.operations.length; point += 1) {
    const operation = recording.operations[point];
    // What was said in between changes no byte, and whoever said it must be able to keep it: so it is heard first.
    if (operation?.kind !== 'acknowledged' && isChosen(point)) {
      const states = isNamesOnly ? model.namesCutOff(point) : model.cutOff(point);
      for (const state of sample([...states], perPoint, random)) yield state();
      for (let n = 0; n < randomPerPoint && !model.isSettled; n += 1)
        yield model.cutOffAtRandom(point, random);
    }
    if (operation !== undefined) model.apply(point, operation);
  }
}

/**
 * Only what was not there before. A state that comes again after more was acknowledged is another one: it has to hold
 * more.
 */
export function* distinct(recording: Recording, states: Iterable<CrashState>): Generator<CrashState> {
  const seen = new Map<string, number>();
  const acknowledged = [0];
  for (const { kind } of recording.operations) {
    acknowledged.push(acknowledged.at(-1)! + (kind === 'acknowledged' ? 1 : 0));
  }
  for (const state of states) {
    const key = hashTree(state.tree);
    if ((seen.get(key) ?? -1) >= acknowledged[state.point]!) continue;
    seen.set(key, acknowledged[state.point]!);
    yield state;
  }
}

/** The tree that the running system sees once all of it is done. */
export function cachedTree(recording: Recording): Tree {
  const model = new DiskModel(recording);
  for (const [at, operation] of recording.operations.entries()) model.apply(at, operation);
  return model.cachedTree();
}

function changesTheCache({ kind }: Operation): boolean {
  return kind !== 'acknowledged' && kind !== 'sync' && kind !== 'failed-sync' && kind !== 'sync-directory';
}

/**
 * Where a kill may stop a write: between two pages, as was seen. At every byte of what is added too, which was not; the
 * bytes within a page that is overwritten change at once.
 */
function tornAt({ offset, bytes }: Write, sizeBytes: number): readonly number[] {
  const pages: number[] = [];
  const first = PAGE_BYTES - (offset % PAGE_BYTES);
  for (let cut = first; cut < bytes.length; cut += PAGE_BYTES) pages.push(cut);
  const overwritten = Math.max(0, Math.min(bytes.length, sizeBytes - offset));
  return [...new Set([...pages, ...cutsOf(bytes, overwritten)])];
}
