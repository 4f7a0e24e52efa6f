// Runs code that somebody else's data may make endless, as a regular expression or a schema can, for no longer than it may
// take. The event loop stands still meanwhile, and goes on then.

import { createContext, Script } from 'node:vm';
import { AppError } from '../../model/errors.ts';

const script = new Script('act()');
let room: { act: () => void } | null = null;

/** @throws `mcp.too-slow` when it takes longer; and what `act` throws */
export function withinTime<T>(maxMs: number, act: () => T): T {
  room ??= createContext({ act: () => {} }) as { act: () => void };
  let made: { readonly value: T } | null = null;
  room.act = () => {
    made = { value: act() };
  };
  try {
    script.runInContext(room, { timeout: maxMs });
  } catch (error) {
    // It comes from the other room, where errors are of another class.
    if ((error as { readonly code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw tooSlow(maxMs);
    throw error;
  } finally {
    room.act = () => {};
  }
  return (made as { readonly value: T } | null)!.value;
}

function tooSlow(maxMs: number): AppError {
  return new AppError('mcp.too-slow', `it takes longer than ${maxMs} ms`, { maxMs });
}
