import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ConsoleClient } from '../../core/contract/client.ts';
import type { Failure } from '../../core/contract/define.ts';
import type { ToolsView } from '../../core/contract/tools-view.ts';
import type { Clock } from '../../core/model/ports.ts';
import { repeatReading } from './repeat-reading.ts';
import type { Target } from './target.ts';

const EVERY_MS = 2_000;

interface ToolsState {
  /** Null until something could be read. */
  readonly tools: ToolsView | null;
  /** Of the last reading; what was read before stays. */
  readonly failure: Failure | null;
}

export interface ToolsReader {
  readonly store: StoreApi<ToolsState>;
  /** Reads now and then every two seconds, but not while the window is hidden. The result stops it. */
  start(): () => void;
  again(): void;
}

/** The tools of one process. How its servers are the host tells nobody by itself, so it is asked for. */
export function createToolsReader(
  client: ConsoleClient,
  clock: Clock,
  target: Target,
  isHidden: () => boolean,
): ToolsReader {
  const store = createStore<ToolsState>(() => ({ tools: null, failure: null }));
  let last = '';

  const read = async (): Promise<void> => {
    const result = await client.request('tools.read', { ...target });
    if (!result.ok) {
      store.setState({ failure: result.error });
      return;
    }
    // What is as it was is not drawn again.
    const text = JSON.stringify(result.value);
    if (text === last && store.getState().failure === null) return;
    last = text;
    store.setState({ tools: result.value, failure: null });
  };

  return {
    store,
    start: () => repeatReading(read, { clock, everyMs: EVERY_MS, isHidden }),
    again() {
      void read();
    },
  };
}
