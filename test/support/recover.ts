import type { Recover } from '../../core/journal/copy-target.ts';
import { ReplayEngine } from '../../core/replay/index.ts';

/** What recovery makes of a process, as whoever copies a journal asks for it. */
export const recover: Recover = async (journal, process, options) =>
  (await new ReplayEngine(journal).recover(process, options)).snapshot;
