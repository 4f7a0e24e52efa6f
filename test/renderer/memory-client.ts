import type { ConsoleClient } from '../../core/contract/client.ts';
import type { Failure, Result } from '../../core/contract/define.ts';
import type { EventName, EventOf } from '../../core/contract/events.ts';
import type { RequestName, RequestOf, ResponseOf } from '../../core/contract/requests.ts';
import type { Clock } from '../../core/model/ports.ts';
import { createConsole, type Console } from '../../renderer/stores/console.ts';

type Answer<N extends RequestName> = (
  request: RequestOf<N>,
) => Result<ResponseOf<N>> | Promise<Result<ResponseOf<N>>>;

interface Asked<N extends RequestName = RequestName> {
  readonly name: N;
  readonly request: RequestOf<N>;
}

/** A host in memory: answers as told, keeps what it was asked, and says what a test makes it say. */
export interface MemoryHost {
  readonly client: ConsoleClient;
  readonly asked: readonly Asked[];
  askedFor<N extends RequestName>(name: N): readonly RequestOf<N>[];
  answer<N extends RequestName>(name: N, answer: Answer<N>): void;
  say<N extends EventName>(name: N, event: EventOf<N>): void;
}

export const ok = <T>(value: T): Result<T> => ({ ok: true, value });
export const refused = (error: Failure): Result<never> => ({ ok: false, error });

export function memoryHost(): MemoryHost {
  const asked: Asked[] = [];
  const answers = new Map<RequestName, Answer<never>>();
  const listeners = new Map<EventName, Set<(event: never) => void>>();
  const host: MemoryHost = {
    asked,
    askedFor: <N extends RequestName>(name: N) =>
      asked.filter((item): item is Asked<N> => item.name === name).map((item) => item.request),
    answer: (name, answer) => {
      answers.set(name, answer);
    },
    say(name, event) {
      for (const listener of listeners.get(name) ?? []) listener(event as never);
    },
    client: {
      async request<N extends RequestName>(name: N, request: RequestOf<N>): Promise<Result<ResponseOf<N>>> {
        asked.push({ name, request });
        const answer = answers.get(name) as Answer<N> | undefined;
        if (answer !== undefined) return answer(request);
        return refused({ code: 'test.no-answer', message: `The test's host has no answer to ${name}.` });
      },
      on(name, listener) {
        const own = listeners.get(name) ?? new Set();
        listeners.set(name, own);
        own.add(listener);
        return () => own.delete(listener);
      },
    },
  };
  host.answer('app.info', () =>
    ok({ version: '0.1.0', host: 'a test', isStandIn: false, platform: 'linux' }),
  );
  host.answer('processes.watch', () => ok({}));
  host.answer('timeline.read', () => ok({ rows: [], before: null }));
  return host;
}

/** A clock that moves only when it is told to. */
interface ManualClock extends Clock {
  advance(ms: number): void;
  /** Time passes and nothing runs, as when the thread is held up. */
  stall(ms: number): void;
}

function manualClock(epochMs: number): ManualClock {
  let passed = 0;
  const timers = new Set<{ readonly dueAt: number; readonly callback: () => void }>();
  return {
    now: () => epochMs + passed,
    monotonic: () => passed,
    after(delayMs, callback) {
      const timer = { dueAt: passed + delayMs, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    stall(ms) {
      passed += ms;
    },
    advance(ms) {
      const until = passed + ms;
      for (;;) {
        const [next] = [...timers].filter(({ dueAt }) => dueAt <= until).sort((a, b) => a.dueAt - b.dueAt);
        if (next === undefined) break;
        timers.delete(next);
        passed = Math.max(passed, next.dueAt);
        next.callback();
      }
      passed = until;
    },
  };
}

export interface TestConsole extends Console {
  readonly testClock: ManualClock;
  hash(): string;
  /** As if the user had typed another address. */
  goTo(hash: string): void;
  hide(hidden: boolean): void;
}

export function testConsole(host: MemoryHost, epochMs: number, hash = '#/'): TestConsole {
  const testClock = manualClock(epochMs);
  let address = hash;
  let hidden = false;
  let onAddress = (): void => undefined;
  let onVisibility = (): void => undefined;
  let ids = 0;
  const console = createConsole({
    client: host.client,
    pathOf: async (file) => (file instanceof File ? `/dropped/${file.name}` : ''),
    clock: testClock,
    ids: { next: () => `00000000-0000-4000-8000-${String((ids += 1)).padStart(12, '0')}` },
    bar: {
      read: () => address,
      write(next) {
        address = next;
      },
      onChange(listener) {
        onAddress = listener;
        return () => undefined;
      },
    },
    visibility: {
      hidden: () => hidden,
      onChange(listener) {
        onVisibility = listener;
        return () => undefined;
      },
    },
  });
  return {
    ...console,
    testClock,
    hash: () => address,
    goTo(next) {
      address = next;
      onAddress();
    },
    hide(next) {
      hidden = next;
      onVisibility();
    },
  };
}
