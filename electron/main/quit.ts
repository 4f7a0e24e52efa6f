import { app, dialog } from 'electron';
import type { ConsoleHost } from '../../core/contract/console-host.ts';
import { messageOf } from '../../core/model/errors.ts';
import { quitPlan } from './quit-plan.ts';

/** How long the host may take to suspend its processes and write everything down. What is left, recovery sorts out. */
const CLOSE_WITHIN_MS = 5_000;

export interface Quitter {
  /** Whether the application is ending, so that windows close for good. */
  readonly quitting: () => boolean;
  /** Asks if it must, unless `now`; then closes the host and ends. */
  readonly quit: (now: boolean) => void;
}

export interface QuitterOptions {
  readonly host: Promise<ConsoleHost>;
  /** Names of the processes that quitting would interrupt, as far as is known now. */
  readonly busy: () => readonly string[];
  /** It is decided. */
  readonly ending: () => void;
  /** The answer was no. */
  readonly cancelled: () => void;
}

/** Ends the application in one way, whoever asks. */
export function createQuitter({ host, busy, ending, cancelled }: QuitterOptions): Quitter {
  let state: 'up' | 'asking' | 'ending' = 'up';

  const confirmed = async (now: boolean): Promise<boolean> => {
    const plan = quitPlan(busy(), now);
    if (plan.kind === 'quit') return true;
    const { response } = await dialog.showMessageBox({
      type: 'question',
      title: 'Quit Holdfast',
      message: plan.message,
      detail: plan.detail,
      buttons: [...plan.buttons],
      defaultId: 1,
      cancelId: 1,
      noLink: true,
    });
    return response === 0;
  };

  const end = async (): Promise<void> => {
    state = 'ending';
    ending();
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_WITHIN_MS);
    });
    const closed = host
      .then((up) => up.close())
      .catch((error: unknown) => {
        process.stderr.write(`The host did not close cleanly: ${messageOf(error)}\n`);
      });
    await Promise.race([closed, enough]);
    clearTimeout(timer);
    app.exit(0);
  };

  const decide = async (now: boolean): Promise<void> => {
    // A question that can't be asked must not keep the application from ending.
    const yes = await confirmed(now).catch(() => true);
    if (state === 'ending') return;
    if (yes) {
      await end();
    } else {
      state = 'up';
      cancelled();
    }
  };
  const quit = (now: boolean): void => {
    // A signal during the question is the answer.
    if (state === 'ending' || (state === 'asking' && !now)) return;
    state = 'asking';
    void decide(now);
  };
  return { quitting: () => state === 'ending', quit };
}
