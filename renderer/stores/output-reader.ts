import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ConsoleClient } from '../../core/contract/client.ts';
import type { Failure } from '../../core/contract/define.ts';
import type { Clock } from '../../core/model/ports.ts';
import { trimmed, withNewest, withOlderLines, type Output } from './output.ts';
import { repeatReading } from './repeat-reading.ts';
import type { Target } from './target.ts';

const PAGE = 200;
const EVERY_MS = 2_000;

interface OutputState {
  /** Null until something could be read. */
  readonly output: Output | null;
  /** Of the last reading; what was read before stays. */
  readonly failure: Failure | null;
  /** While the reader stays at the end, old lines are let go. */
  readonly atEnd: boolean;
  readonly loadingOlder: boolean;
}

export interface OutputReader {
  readonly store: StoreApi<OutputState>;
  /** Reads now and then every two seconds, but not while the window is hidden. The result stops it. */
  start(): () => void;
  /** Reads once, at once: after a failure. */
  again(): void;
  readOlder(): Promise<void>;
  follow(atEnd: boolean): void;
}

/** What the workers of one process wrote. The host tells nobody of new lines, so they are asked for. */
export function createOutputReader(
  client: ConsoleClient,
  clock: Clock,
  target: Target,
  isHidden: () => boolean,
): OutputReader {
  const store = createStore<OutputState>(() => ({
    output: null,
    failure: null,
    atEnd: true,
    loadingOlder: false,
  }));

  const readNewest = async (): Promise<void> => {
    const result = await client.request('output.read', { ...target, before: null, limit: PAGE });
    if (!result.ok) {
      store.setState({ failure: result.error });
      return;
    }
    const page = result.value;
    store.setState(({ output, atEnd, failure }) => {
      const next = withNewest(output, page);
      const kept = atEnd ? trimmed(next, page) : next;
      return kept === output && failure === null ? {} : { output: kept, failure: null };
    });
  };

  return {
    store,
    start: () => repeatReading(readNewest, { clock, everyMs: EVERY_MS, isHidden }),
    again() {
      void readNewest();
    },
    async readOlder() {
      const { output, loadingOlder } = store.getState();
      const before = output?.before ?? null;
      if (before === null || loadingOlder) return;
      store.setState({ loadingOlder: true });
      const result = await client.request('output.read', { ...target, before, limit: PAGE });
      store.setState((now) => ({
        loadingOlder: false,
        failure: result.ok ? null : result.error,
        // Lines that began afresh in the meantime have another beginning.
        ...(result.ok && now.output?.before === before
          ? { output: withOlderLines(now.output, result.value) }
          : {}),
      }));
    },
    follow(atEnd) {
      if (store.getState().atEnd !== atEnd) store.setState({ atEnd });
    },
  };
}
