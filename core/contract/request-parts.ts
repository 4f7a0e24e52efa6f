// What requests of the console are made of.

import { z } from 'zod';

export const Id = z.string().min(1).max(200);
export const ProcessName = z.string().min(1).max(4096);
export const Reason = z.string().max(500);

export const OneProcess = { journalId: Id, process: ProcessName };

/** The same command id twice is the same command: the second answer is the first's. */
export const Command = z.strictObject({ ...OneProcess, commandId: z.uuid(), reason: Reason });
export const NeedsReason = z.strictObject({ ...Command.shape, reason: Reason.min(1) });

/** The state as it is when the answer leaves, never as it is hoped to become, and a sentence about what was done. */
export const Outcome = z.strictObject({ state: z.string(), message: z.string() });
export const Nothing = z.strictObject({});

export const JsonText = z.string().max(1_000_000);
export const Seq = z.number().int().positive();

export const OfWorkspace = { journalId: Id, commandId: z.uuid() };
