import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One member of Electron's modules that a source file uses: `of` is an export or a class, `member` empty for itself. */
export interface Use {
  readonly file: string;
  readonly of: string;
  readonly member: string;
}

/** Classes whose instances reach a file without its importing them, by the expressions that give them. */
const EXPRESSIONS: readonly (readonly [expression: RegExp, of: string])[] = [
  [/\.webContents\??\.(\w+)/g, 'WebContents'],
  [/\bcontents\??\.(\w+)/g, 'WebContents'],
  [/\.defaultSession\??\.(\w+)/g, 'Session'],
  [/\bsenderFrame\??\.(\w+)/g, 'WebFrameMain'],
];

const IMPORT = /import\s+(type\s+)?\{([^}]*)\}\s+from\s+'electron(?:\/\w+)?'/g;

const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map((match) => match[1]!);

function importsOf(
  text: string,
): { readonly name: string; readonly local: string; readonly isType: boolean }[] {
  return [...text.matchAll(IMPORT)].flatMap(([, type, list]) =>
    list!
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean)
      .map((part) => {
        const [, single, name, alias] = /^(type\s+)?(\w+)(?:\s+as\s+(\w+))?$/.exec(part)!;
        return { name: name!, local: alias ?? name!, isType: (type ?? single) !== undefined };
      }),
  );
}

/** The variables and parameters of a file that hold an instance of a class, as far as text shows it. */
function instancesOf(text: string, local: string): string[] {
  const declared = matches(text, new RegExp(`\\b(\\w+)\\??\\s*:\\s*(?:Electron\\.)?${local}\\b`, 'g'));
  const made = matches(text, new RegExp(`\\b(\\w+)\\s*=\\s*new\\s+${local}\\b`, 'g'));
  return [...new Set([...declared, ...made])];
}

/** What a source text uses of Electron, found without a parser: property accesses on what it imports. */
export function usesIn(file: string, source: string): Use[] {
  // Without comments and the names of the project's own files.
  const text = source.replaceAll(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$|'\.{1,2}\/[^']*'/gm, '');
  const uses: Use[] = [];
  const add = (of: string, member: string): void => void uses.push({ file, of, member });
  const imports = importsOf(text);
  if (imports.length === 0) return [];
  for (const { name, local, isType } of imports) {
    if (!isType) {
      add(name, '');
      for (const member of matches(text, new RegExp(`(?<![.\\w])${local}\\??\\.(\\w+)`, 'g')))
        add(name, member);
    }
    if (!/^[A-Z]/.test(name)) continue;
    for (const instance of instancesOf(text, local)) {
      for (const member of matches(text, new RegExp(`(?<![.\\w])${instance}\\??\\.(\\w+)`, 'g'))) {
        add(`${name}#`, member);
      }
    }
  }
  for (const [expression, of] of EXPRESSIONS)
    for (const member of matches(text, expression)) add(`${of}#`, member);
  return uses;
}

/** The uses in every TypeScript file below a folder. */
export function usesBelow(folder: string): Use[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.c?tsx?$/.test(name) && !name.endsWith('.d.ts'))
    .flatMap((name) => usesIn(join(folder, name), readFileSync(join(folder, name), 'utf8')));
}
