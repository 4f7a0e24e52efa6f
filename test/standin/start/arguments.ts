export interface StartArguments {
  /** Modules to load before the app, which Playwright asks for. */
  readonly preloads: readonly string[];
  /** The app: a directory with a package.json, or a script. */
  readonly app: string;
  /** Undefined unless somebody (Playwright) wants to drive the windows too. */
  readonly debuggingPort: number | undefined;
}

const PORT = '--remote-debugging-port=';

/** Reads what follows the executable's name on Electron's command line. */
export function parseArguments(argv: readonly string[]): StartArguments {
  const preloads: string[] = [];
  let app: string | undefined;
  for (let at = 0; at < argv.length && app === undefined; at += 1) {
    const argument = argv[at]!;
    if (argument === '-r' || argument === '--require') preloads.push(argv[++at]!);
    else if (!argument.startsWith('-')) app = argument;
  }
  const port = argv.find((argument) => argument.startsWith(PORT));
  return {
    preloads,
    app: app ?? '.',
    debuggingPort: port === undefined ? undefined : Number(port.slice(PORT.length)),
  };
}
