import type { JournalView } from '../contract/fleet-views.ts';
import type { ProcessDetail } from '../contract/process-detail.ts';
import type { ProcessRow } from '../contract/process-row.ts';
import type { TimelinePage } from '../contract/timeline-views.ts';
import type { ToolsView } from '../contract/tools-view.ts';
import type { Cursor, JournalProvider } from '../model/ports.ts';
import type { MemoryAt } from './memory-look.ts';
import { timelineRows } from './read-model.ts';
import type { WaitingInput } from './waiting-views.ts';

/** One journal directory in the console, whether this host runs it or only looks at it. */
export interface JournalSource {
  readonly id: string;
  readonly directory: string;
  view(): JournalView;
  rows(): readonly ProcessRow[];
  /** @throws `process.not-found` */
  detail(process: string): ProcessDetail;
  /** @throws `process.not-found` */
  tools(process: string): ToolsView;
  /** What of each process waits for a person, to be shown. */
  waiting(): readonly WaitingInput[];
  timeline(process: string, limit: number, before: Cursor | null): Promise<TimelinePage>;
  /** What its agent remembers, and where. @throws `process.not-found`, `memory.not-configured` */
  memoryOf(process: string): MemoryAt;
  close(): Promise<void>;
}

export async function timelinePage(
  journal: JournalProvider,
  process: string,
  limit: number,
  before: Cursor | null,
): Promise<TimelinePage> {
  const page = await journal.readLast(process, limit, before ?? undefined);
  return { rows: timelineRows(page.entries, page.badLines), before: page.before };
}
