// The program that runs an agent's code: how it is, and what it wrote and logged.

import { z } from 'zod';

/** The operating system's side of a process's worker. */
export const WorkerView = z.strictObject({
  pid: z.number().int(),
  generation: z.number().int(),
  startedAt: z.string().nullable(),
  /** Null: the system does not tell. */
  rssBytes: z.number().nullable(),
  cpuPercent: z.number().nullable(),
  isAnswering: z.boolean(),
});
export type WorkerView = z.infer<typeof WorkerView>;

export const OutputLine = z.strictObject({
  at: z.string(),
  generation: z.number().int(),
  stream: z.enum(['out', 'err', 'log']),
  level: z.string().nullable(),
  eventId: z.string().nullable(),
  text: z.string(),
});
export type OutputLine = z.infer<typeof OutputLine>;

export const OutputPage = z.strictObject({
  /** Oldest first. */
  lines: z.array(OutputLine),
  /** Where to go on towards the beginning; null at the beginning. */
  before: z.string().nullable(),
});
export type OutputPage = z.infer<typeof OutputPage>;
