// The manifests of a workspace that processes can be run from. What could never run is left out, with the reason, instead of
// started to fail.

import type { loadWorkspace } from '../manifest/load-workspace.ts';
import { AppError } from '../model/errors.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { checkTriggers } from '../runtime/trigger-list.ts';

type Loaded = ReturnType<typeof loadWorkspace>;

export function usableManifests({ definitions, problems, ...rest }: Loaded): Loaded {
  const found = [...problems];
  const good = definitions.filter((definition) => {
    const problem = triggerProblem(definition);
    if (problem !== null) found.push(problem);
    return problem === null;
  });
  return { ...rest, definitions: good, problems: found };
}

function triggerProblem({ name, config }: ProcessDefinition): AppError | null {
  try {
    checkTriggers(config.triggers);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return new AppError(
      error.code,
      `${name}: ${error.message}`,
      { ...error.detail, process: name },
      { cause: error },
    );
  }
}
