import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ConsoleClient } from '../../core/contract/client.ts';
import type { Failure } from '../../core/contract/define.ts';
import type { ProcessDetail } from '../../core/contract/process-detail.ts';
import type { TimelineRow } from '../../core/contract/timeline-views.ts';
import {
  EMPTY_TIMELINE,
  fromNewest,
  MOST_FOLLOWED,
  released,
  withArrivals,
  withOlder,
  type Timeline,
} from './timeline.ts';
import { sameTarget, type Target } from './target.ts';

const PAGE = 100;

export interface ProcessState {
  readonly target: Target | null;
  readonly phase: 'idle' | 'loading' | 'ready' | 'failed';
  readonly failure: Failure | null;
  readonly detail: ProcessDetail | null;
  readonly timeline: Timeline;
  readonly timelinePhase: 'loading' | 'ready' | 'failed';
  readonly timelineFailure: Failure | null;
  readonly loadingOlder: boolean;
  /** Whether new rows go straight in: only while the reader is at the top and has opened nothing. */
  readonly following: boolean;
}

export interface ProcessStore {
  readonly store: StoreApi<ProcessState>;
  /** Shows and watches one process, or none. */
  show(target: Target | null): void;
  /** Reads and watches again what is shown, after a failure or when the host returned. */
  again(): void;
  readOlder(): Promise<void>;
  /** Takes in what has arrived at the top. */
  release(): void;
  follow(following: boolean): void;
  dispose(): void;
}

const IDLE: ProcessState = {
  target: null,
  phase: 'idle',
  failure: null,
  detail: null,
  timeline: EMPTY_TIMELINE,
  timelinePhase: 'loading',
  timelineFailure: null,
  loadingOlder: false,
  following: true,
};

export function createProcessStore(client: ConsoleClient): ProcessStore {
  const store = createStore<ProcessState>(() => IDLE);
  /** Rows that come while the newest page is on its way; null while none is. */
  let since: TimelineRow[] | null = null;
  /** Whether a change that came meanwhile left rows out: then those above are not all. */
  let gapSince = false;
  /** Numbers the readings, so that the answer to a question nobody asks any more is dropped. */
  let reading = 0;

  const shows = (target: Target): boolean => sameTarget(store.getState().target, target);

  const readNewest = async (target: Target): Promise<void> => {
    const mine = (reading += 1);
    since = [];
    gapSince = false;
    const result = await client.request('timeline.read', { ...target, before: null, limit: PAGE });
    if (mine !== reading || !shows(target)) return;
    const arrived: readonly TimelineRow[] = since;
    since = null;
    if (!result.ok) {
      store.setState({ timelinePhase: 'failed', timelineFailure: result.error });
      return;
    }
    // Rows from beyond a gap would hide it: the page alone is shown, as one that misses something, and read again.
    const timeline = gapSince
      ? { ...fromNewest(result.value, []), missed: true }
      : fromNewest(result.value, arrived);
    store.setState({ timeline, timelinePhase: 'ready', timelineFailure: null });
    if (gapSince && store.getState().following) void readNewest(target);
  };

  const readDetail = async (target: Target): Promise<void> => {
    const result = await client.request('processes.read', target);
    if (!shows(target)) return;
    if (result.ok) store.setState({ phase: 'ready', failure: null, detail: result.value });
    else if (store.getState().detail === null) store.setState({ phase: 'failed', failure: result.error });
  };

  const load = async (target: Target): Promise<void> => {
    // First the watch, then the reading: what happens between the two is seen twice rather than never.
    const watched = await client.request('processes.watch', { target });
    if (!shows(target)) return;
    if (!watched.ok) {
      store.setState({ phase: 'failed', failure: watched.error });
      return;
    }
    await Promise.all([readDetail(target), readNewest(target)]);
  };

  const off = client.on('process.changed', (change) => {
    const { target, timeline, following } = store.getState();
    if (!sameTarget(target, change) || target === null) return;
    if (since !== null) {
      since.unshift(...change.rows);
      gapSince ||= change.gap;
      store.setState({ phase: 'ready', failure: null, detail: change.detail });
      return;
    }
    const next = withArrivals(timeline, change.rows, change.gap, following);
    store.setState({ phase: 'ready', failure: null, detail: change.detail, timeline: next });
    if (following && (next.missed || next.rows.length > MOST_FOLLOWED)) void readNewest(target);
  });

  return {
    store,
    show(target) {
      if (sameTarget(store.getState().target, target)) return;
      since = null;
      reading += 1;
      if (target === null) {
        store.setState(IDLE);
        void client.request('processes.watch', { target: null });
        return;
      }
      store.setState({ ...IDLE, target, phase: 'loading' });
      void load(target);
    },
    again() {
      const { target, detail } = store.getState();
      if (target === null) return;
      if (detail === null) store.setState({ ...IDLE, target, phase: 'loading' });
      void load(target);
    },
    async readOlder() {
      const { target, timeline, loadingOlder } = store.getState();
      if (target === null || timeline.before === null || loadingOlder) return;
      store.setState({ loadingOlder: true });
      const result = await client.request('timeline.read', {
        ...target,
        before: timeline.before,
        limit: PAGE,
      });
      if (!shows(target)) return;
      const now = store.getState().timeline;
      // A timeline that started afresh in the meantime has another end.
      const fits = now.before === timeline.before;
      store.setState({
        loadingOlder: false,
        timelineFailure: result.ok ? null : result.error,
        ...(result.ok && fits ? { timeline: withOlder(now, result.value) } : {}),
      });
    },
    release() {
      const { target, timeline } = store.getState();
      if (target === null) return;
      if (timeline.missed) void readNewest(target);
      else store.setState({ timeline: released(timeline) });
    },
    follow(following) {
      if (store.getState().following !== following) store.setState({ following });
    },
    dispose: off,
  };
}
