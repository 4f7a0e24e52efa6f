import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Clock } from '../../core/model/ports.ts';

export type NoticeTone = 'done' | 'attention' | 'alarm';

interface NoticeStep {
  readonly label: string;
  readonly run: () => void;
}

export interface NewNotice {
  readonly tone: NoticeTone;
  readonly title: string;
  readonly message: string;
  /** A stable code, for whoever asks for help; none for good news. */
  readonly code: string | null;
  /** The one thing to do next, if there is one. */
  readonly step?: NoticeStep;
}

export interface Notice extends NewNotice {
  readonly id: number;
  /** How often the same was said. */
  readonly count: number;
}

const SHOWN_FOR_MS = 8_000;
const MOST_SHOWN = 3;

/** The list with one more; the same again is counted and comes to the end, not repeated. */
export function withNotice(notices: readonly Notice[], added: NewNotice, id: number): readonly Notice[] {
  const same = notices.find(
    (notice) =>
      notice.tone === added.tone &&
      notice.title === added.title &&
      notice.message === added.message &&
      notice.code === added.code,
  );
  const others = notices.filter((notice) => notice !== same);
  return [...others, { ...added, id, count: (same?.count ?? 0) + 1 }];
}

/** At most three at a time: what needs reading first, then the newest. */
export function shownNotices(notices: readonly Notice[]): readonly Notice[] {
  const weight = (notice: Notice): number => (notice.tone === 'done' ? 0 : 1);
  const chosen = notices
    .toSorted((a, b) => weight(b) - weight(a) || b.id - a.id)
    .slice(0, MOST_SHOWN)
    .map((notice) => notice.id);
  return notices.filter((notice) => chosen.includes(notice.id));
}

export interface NoticeStore {
  readonly store: StoreApi<{ readonly notices: readonly Notice[] }>;
  /** Good news leaves by itself; everything else stays until it is read. */
  push(notice: NewNotice): void;
  dismiss(id: number): void;
}

export function createNoticeStore(clock: Clock): NoticeStore {
  const store = createStore<{ readonly notices: readonly Notice[] }>(() => ({ notices: [] }));
  let last = 0;
  const dismiss = (id: number): void => {
    store.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) }));
  };
  return {
    store,
    push(notice) {
      const id = (last += 1);
      store.setState(({ notices }) => ({ notices: withNotice(notices, notice, id) }));
      if (notice.tone === 'done') clock.after(SHOWN_FOR_MS, () => dismiss(id));
    },
    dismiss,
  };
}
