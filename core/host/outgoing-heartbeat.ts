// Says somewhere else, every so often, that this host is alive: a host that is dead, or a laptop that is shut, says nothing,
// and whoever listens there notices. It says nothing secret, and what becomes of it never holds up a host.

import type { Post, PostOutcome } from '../governance/webhook-post.ts';
import { receiverProblem } from '../manifest/receiver-url.ts';
import { shownUrl } from '../model/escalation.ts';
import { AppError } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { Clock } from '../model/ports.ts';
import { Delay } from '../runtime/delay.ts';

export const DEFAULT_EVERY_SECONDS = 60;
const MIN_EVERY_SECONDS = 5;
const MAX_EVERY_SECONDS = 86_400;

export interface HeartbeatConfig {
  readonly url: string;
  readonly everyMs: number;
  /** Whether it may lie on this machine or in a private network. */
  readonly allowPrivate: boolean;
}

/** As somebody wrote it; empty is as good as left out. */
export interface HeartbeatAsked {
  readonly url?: string | undefined;
  /** Seconds. */
  readonly every?: string | undefined;
  readonly allowPrivate?: boolean | undefined;
}

/** The heartbeat that the environment asks for. */
export function heartbeatInEnvironment(environment: NodeJS.ProcessEnv = process.env): HeartbeatAsked {
  return {
    url: environment['HOLDFAST_HEARTBEAT_URL'],
    every: environment['HOLDFAST_HEARTBEAT_EVERY'],
    allowPrivate: environment['HOLDFAST_HEARTBEAT_PRIVATE'] === '1',
  };
}

/**
 * Null where none is asked for.
 * @throws `heartbeat.invalid`
 */
export function heartbeatOf({
  url = '',
  every = '',
  allowPrivate = false,
}: HeartbeatAsked): HeartbeatConfig | null {
  const address = url.trim();
  if (address === '') {
    if (every.trim() === '') return null;
    throw invalid('it says how often and not where to: give it an address');
  }
  const problem = receiverProblem(address, allowPrivate);
  if (problem !== null) throw invalid(problem);
  const seconds = every.trim() === '' ? DEFAULT_EVERY_SECONDS : Number(every);
  if (!(seconds >= MIN_EVERY_SECONDS && seconds <= MAX_EVERY_SECONDS)) {
    throw invalid(
      `every ${every} is not a number of seconds from ${MIN_EVERY_SECONDS} to ${MAX_EVERY_SECONDS}`,
    );
  }
  return { url: address, everyMs: seconds * 1_000, allowPrivate };
}

function invalid(why: string): AppError {
  return new AppError(
    'heartbeat.invalid',
    `The heartbeat of this host can't be sent: ${why}. It is set by HOLDFAST_HEARTBEAT_URL, _EVERY and _PRIVATE, or by --heartbeat-url, --heartbeat-every and --heartbeat-private.`,
  );
}

export interface HeartbeatOptions {
  readonly config: HeartbeatConfig;
  readonly clock: Clock;
  readonly post: Post;
  /** What is said with each beat. */
  readonly says: () => JsonObject;
  /** It was heard first, was not heard, or is heard again: the data of a `heartbeat_changed`. */
  readonly onChange: (data: JsonObject) => void;
  /** It is not heard, for a person. */
  readonly onFailing: (message: string) => void;
}

type Standing = 'heard' | 'failing';

/** Beats at once, and then every so often, until it is disposed of. */
export function outgoingHeartbeat({
  config,
  clock,
  post,
  says,
  onChange,
  onFailing,
}: HeartbeatOptions): Disposable {
  const { url, everyMs, allowPrivate } = config;
  const to = shownUrl(url);
  const delay = new Delay(clock);
  const life = new AbortController();
  let standing: Standing | null = null;
  let unheard = 0;

  const learn = (outcome: PostOutcome): void => {
    const now: Standing = outcome.isSent ? 'heard' : 'failing';
    const reason = outcome.isSent ? '' : outcome.reason;
    if (now !== standing) {
      onChange({
        to,
        state: standing === 'failing' ? 'heard again' : now,
        reason: standing === 'failing' ? `after ${unheard} that were not heard` : reason,
        unheard,
      });
      if (now === 'failing') {
        onFailing(
          `The heartbeat of this host is not heard at ${to}: ${reason}. It goes on every ${everyMs / 1_000} s; whoever watches it there believes that this host is gone.`,
        );
      }
    }
    standing = now;
    unheard = outcome.isSent ? 0 : unheard + 1;
  };
  const beat = async (): Promise<void> => {
    const began = clock.monotonic();
    const outcome = await post({
      url,
      body: JSON.stringify(says()),
      headers: {},
      allowPrivate,
      signal: life.signal,
    });
    if (life.signal.aborted) return;
    learn(outcome);
    delay.start(Math.max(0, everyMs - (clock.monotonic() - began)), () => void beat());
  };
  void beat();
  return {
    [Symbol.dispose]: () => {
      life.abort();
      delay.cancel();
    },
  };
}
