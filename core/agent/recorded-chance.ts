// `ctx.now`, `ctx.random`, `ctx.uuid` and `ctx.version`: what would differ from run to run is the same in every re-run.

import { createHash } from 'node:crypto';
import { AppError } from '../model/errors.ts';
import type { AgentContext } from './define-agent.ts';
import type { RunScope } from './run-scope.ts';

const MAX_NAME = 200;
const MAX_VERSION = 1_000_000;

export function recordedChance(scope: RunScope): Pick<AgentContext, 'now' | 'random' | 'uuid' | 'version'> {
  const { clock, versions, seed } = scope.invoke.record;
  const chosen = new Map(Object.entries(versions));
  let readings = 0;
  let draws = 0;

  /** 256 bits that follow from the seed and from how much was drawn before. */
  const draw = (): Buffer => {
    draws += 1;
    return createHash('sha256').update(`${seed}/${draws}`).digest();
  };

  return {
    now: () => {
      scope.refuseUnlessOpen('ctx.now');
      const ordinal = readings;
      readings += 1;
      const recorded = clock[ordinal];
      if (recorded !== undefined) return recorded;
      if (scope.isCheck) throw scope.unrecorded(`reading ${ordinal} of the clock`);
      const at = Date.now();
      if (scope.isReal) scope.send({ type: 'clock-read', ordinal, at });
      return at;
    },
    random: () => {
      scope.refuseUnlessOpen('ctx.random');
      return Number(draw().readBigUInt64BE() >> 11n) / 2 ** 53;
    },
    uuid: () => {
      scope.refuseUnlessOpen('ctx.uuid');
      const bytes = draw().subarray(0, 16);
      bytes[6] = (bytes[6]! & 0x0f) | 0x40;
      bytes[8] = (bytes[8]! & 0x3f) | 0x80;
      const hex = bytes.toString('hex');
      return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
        '-',
      );
    },
    version: (name, min, max) => {
      scope.refuseUnlessOpen(`ctx.version(${JSON.stringify(name)})`);
      check(name, min, max);
      const before = chosen.get(name);
      if (before !== undefined) {
        if (before >= min && before <= max) return before;
        throw scope.diverge(`version ${before} of ${name}`, `code that knows versions ${min} to ${max}`);
      }
      // What is recorded behind this place was done by code that did not have it yet; and so was all of a record that is
      // only checked, since otherwise it would tell of the choice.
      const version = scope.isRecordUsed && !scope.isCheck ? max : min;
      chosen.set(name, version);
      if (scope.isReal && version === max) scope.send({ type: 'version-chosen', name, version });
      return version;
    },
  };
}

function check(name: unknown, min: number, max: number): void {
  const isVersion = (version: unknown): boolean =>
    Number.isInteger(version) && Math.abs(version as number) <= MAX_VERSION;
  const isName = typeof name === 'string' && name !== '' && name.length <= MAX_NAME;
  if (isName && isVersion(min) && isVersion(max) && min <= max) return;
  throw new AppError(
    'version.bad',
    `ctx.version(name, min, max) takes a name of up to ${MAX_NAME} characters and two whole numbers, the first not above the second.`,
  );
}
