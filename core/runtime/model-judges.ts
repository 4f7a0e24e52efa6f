// Where judges come from that are models: from whoever runs the runtime, which itself calls none.

import { AppError } from '../model/errors.ts';
import type { Judge } from '../model/judge.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import type { SecretAnswer } from '../model/worker-protocol.ts';

/** One of the process's secrets, to judge it after this run of its mission; who had it is on record. */
export type SecretReader = (name: string, run: number) => SecretAnswer;

/** @param model as the manifest names it */
export type ModelJudges = (model: string, definition: ProcessDefinition, secretOf: SecretReader) => Judge;

/** Of a runtime that was given none. */
export const noModelJudges: ModelJudges = (model) => ({
  judge: () =>
    Promise.reject(
      new AppError('mission.no-judge-model', `${model} is to judge, and this host can't call models`),
    ),
  idle: () => Promise.resolve(),
});
