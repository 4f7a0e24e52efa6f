// Which shell shows the console on this machine, decided without looking at the machine.

const SHELLS = ['electron', 'standin', 'terminal'] as const;
export type Shell = (typeof SHELLS)[number];

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `absent`: may be fetched. `unreachable`: that was tried, now or within the last day. */
  readonly electron: 'present' | 'absent' | 'unreachable';
  readonly hasChromium: boolean;
  /** What a person here types to get a Chromium. */
  readonly installLine: string;
  /** Whether a person types into this terminal. */
  readonly isTty: boolean;
  /** Whether it runs as the system's root. */
  readonly isRoot: boolean;
}

export type StartPlan =
  /** `says`: one or two lines for the person, which shell and why. */
  | {
      readonly kind: 'start';
      readonly shell: Shell;
      readonly flags: readonly string[];
      readonly says: readonly string[];
    }
  /** Try to get Electron's binary, and ask again with what came of it. */
  | { readonly kind: 'fetch'; readonly says: readonly string[] }
  | { readonly kind: 'refuse'; readonly says: readonly string[] };

/** Real Electron if it is there or can be had, else its stand-in in Chromium, else the terminal. */
export function planStart(machine: Machine): StartPlan {
  const wanted = machine.env['HOLDFAST_HOST'] ?? '';
  switch (wanted) {
    case '':
      return byItself(machine);
    case 'electron':
      if (machine.electron === 'present') return electron(machine, 'as HOLDFAST_HOST asks');
      if (machine.electron === 'absent') return FETCH;
      return refuse(
        'HOLDFAST_HOST asks for Electron, and its binary is not here and could not be downloaded.',
      );
    case 'standin':
      if (canStandIn(machine)) return standIn(machine, 'as HOLDFAST_HOST asks');
      return refuse(`HOLDFAST_HOST asks for the stand-in. ${missing(machine)}`);
    case 'terminal':
      return terminal(machine, ['In the terminal, as HOLDFAST_HOST asks.']);
    default:
      return refuse(`HOLDFAST_HOST is ${JSON.stringify(wanted)}; it may be ${SHELLS.join(', ')}.`);
  }
}

const FETCH: StartPlan = {
  kind: 'fetch',
  says: ['Electron’s binary is not here yet. Looking whether it can be downloaded…'],
};

function byItself(machine: Machine): StartPlan {
  if (!hasDisplay(machine)) {
    return terminal(machine, [
      'There is no display (DISPLAY and WAYLAND_DISPLAY are empty), so the console runs in this terminal.',
      ...(machine.electron !== 'present' && !machine.hasChromium
        ? [`On a desktop it has a window, in Electron or in Chromium: ${machine.installLine}`]
        : []),
    ]);
  }
  if (machine.electron === 'present') return electron(machine, 'its binary is here');
  if (machine.electron === 'absent') return FETCH;
  const why = 'Electron’s binary is not here and could not be downloaded';
  if (canStandIn(machine)) return standIn(machine, why);
  return terminal(machine, [`${why}, so the console runs in this terminal.`, missing(machine)]);
}

function electron({ platform, isRoot }: Machine, why: string): StartPlan {
  const open = platform === 'linux' && isRoot;
  return {
    kind: 'start',
    shell: 'electron',
    // Chromium refuses to start as root with its sandbox on.
    flags: open ? ['--no-sandbox'] : [],
    says: [
      `In Electron: ${why}.`,
      ...(open ? ['Running as root, where Chromium has no sandbox. Use an account of your own.'] : []),
    ],
  };
}

function standIn({ isTty }: Machine, why: string): StartPlan {
  return {
    kind: 'start',
    shell: 'standin',
    flags: [],
    says: [`In Chromium, by the stand-in for Electron: ${why}.${isTty ? ' Ctrl-C quits.' : ''}`],
  };
}

function terminal({ isTty }: Machine, says: readonly string[]): StartPlan {
  const [first = '', ...rest] = says;
  return {
    kind: 'start',
    shell: 'terminal',
    flags: [],
    says: [`${first} ${isTty ? '`q` quits.' : 'Ctrl-C quits.'}`, ...rest],
  };
}

function refuse(says: string): StartPlan {
  return { kind: 'refuse', says: [says] };
}

function hasDisplay({ platform, env }: Machine): boolean {
  if (platform === 'win32' || platform === 'darwin') return true;
  return (env['DISPLAY'] ?? '') !== '' || (env['WAYLAND_DISPLAY'] ?? '') !== '';
}

/** The stand-in is started by a shell script. */
function canStandIn({ platform, hasChromium }: Machine): boolean {
  return hasChromium && platform !== 'win32';
}

function missing({ platform, installLine }: Machine): string {
  return platform === 'win32'
    ? 'The stand-in does not run on Windows: connect once, so that Electron can be downloaded.'
    : `A Chromium would give it a window: ${installLine}`;
}
