import { AppError } from '../model/errors.ts';

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * The text with each `${NAME}` as the environment has it, or as `${NAME:-this}` says where it has none.
 * @throws `manifest.no-variable`
 */
export function withVariables(text: string, environment: NodeJS.ProcessEnv = process.env): string {
  return text.replaceAll(VARIABLE, (_, name: string, otherwise: string | undefined) => {
    // As in a shell: what is empty is as good as not set.
    const found = [environment[name], otherwise].find((value) => value !== undefined && value !== '');
    if (found !== undefined) return found;
    throw new AppError(
      'manifest.no-variable',
      `\${${name}} is not set in the environment of this host. Set it, or give it a default: \${${name}:-…}.`,
      { name },
    );
  });
}

/** The names of the variables in it. */
export function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(VARIABLE)].map(([, name]) => name!);
}

/** Whether it holds nothing but names of variables: what may stand in a journal in place of a secret. */
export function isVariable(text: string): boolean {
  return text.replaceAll(VARIABLE, '') === '' && text !== '' && !text.includes(':-');
}
