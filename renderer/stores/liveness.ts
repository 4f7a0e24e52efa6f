import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ConsoleClient } from '../../core/contract/client.ts';
import type { AppView } from '../../core/contract/app-view.ts';
import type { Clock } from '../../core/model/ports.ts';
import { UNREACHABLE } from '../client/bridge-client.ts';

const PING_MS = 2_000;
const SILENT_AFTER_MS = 5_000;
/** An answer that takes longer is not waited for: it may never come, and the host is asked anew. */
const ANSWER_MS = 4_000;

interface Liveness {
  readonly info: AppView | null;
  /** When the host last said anything, in milliseconds since the epoch; null before that. */
  readonly heardAtMs: number | null;
  readonly roundTripMs: number | null;
  /** Silent for longer than five seconds: what is shown is old, and nothing can be asked for. */
  readonly silent: boolean;
}

/** Whether anybody can see the window. */
export interface Visibility {
  hidden(): boolean;
  onChange(listener: () => void): () => void;
}

export interface LivenessStore {
  readonly store: StoreApi<Liveness>;
  /** Anything that the host says proves that it lives. */
  heard(): void;
  dispose(): void;
}

/** Asks the host now and then whether it is there; never while the window is hidden. */
export function createLivenessStore(
  client: ConsoleClient,
  clock: Clock,
  visibility: Visibility,
  onReturn: () => void,
): LivenessStore {
  const store = createStore<Liveness>(() => ({
    info: null,
    heardAtMs: null,
    roundTripMs: null,
    silent: false,
  }));
  /** Silence counts from here, on the monotonic clock. */
  let quietSince = clock.monotonic();
  let asking = false;
  let asked = 0;
  let lastBeat = clock.monotonic();
  let cancel = (): void => undefined;

  const heard = (): void => {
    quietSince = clock.monotonic();
    const wasSilent = store.getState().silent;
    store.setState({ heardAtMs: clock.now(), silent: false });
    if (wasSilent) onReturn();
  };

  const ask = async (): Promise<void> => {
    if (asking) return;
    asking = true;
    const mine = (asked += 1);
    const stopWaiting = (): void => {
      if (mine === asked) asking = false;
    };
    const cancelWait = clock.after(ANSWER_MS, stopWaiting);
    const from = clock.monotonic();
    const result = await client.request('app.info', {});
    cancelWait();
    stopWaiting();
    if (!result.ok && result.error.code === UNREACHABLE) return;
    store.setState({
      roundTripMs: Math.round(clock.monotonic() - from),
      ...(result.ok ? { info: result.value } : {}),
    });
    heard();
  };

  const beat = (): void => {
    if (visibility.hidden()) return;
    // A beat that comes late was held up by this thread itself, and so was every answer: no silence of the host's.
    if (clock.monotonic() - lastBeat > 2 * PING_MS) quietSince = clock.monotonic();
    lastBeat = clock.monotonic();
    if (clock.monotonic() - quietSince > SILENT_AFTER_MS && !store.getState().silent) {
      store.setState({ silent: true });
    }
    void ask();
    cancel = clock.after(PING_MS, beat);
  };

  const off = visibility.onChange(() => {
    cancel();
    // Nobody asked while nobody looked: that silence is our own.
    quietSince = clock.monotonic();
    lastBeat = quietSince;
    beat();
  });
  beat();

  return {
    store,
    heard,
    dispose() {
      cancel();
      off();
    },
  };
}
