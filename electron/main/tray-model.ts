import type { FleetView } from '../../core/contract/fleet-views.ts';
import type { ProcessRow } from '../../core/contract/process-row.ts';

export type TrayIcon = 'ok' | 'attention' | 'alarm' | 'idle';

type TrayItem =
  | { readonly kind: 'text'; readonly label: string }
  | { readonly kind: 'separator' }
  | { readonly kind: 'action'; readonly label: string; readonly action: TrayAction };

export type TrayAction =
  | { readonly type: 'show' }
  | { readonly type: 'show-waiting' }
  | { readonly type: 'open-journal' }
  | { readonly type: 'show-process'; readonly journalId: string; readonly process: string }
  | { readonly type: 'quit' };

export interface TrayModel {
  readonly icon: TrayIcon;
  readonly tooltip: string;
  readonly menu: readonly TrayItem[];
}

/** Failed processes with an entry of their own. A menu is no list of two hundred. */
const MOST_FAILED = 5;
const LONGEST_NAME = 40;

/**
 * What the tray says about the fleet. Only processes that this host runs count: a journal that is merely looked at tells
 * what was, and is no reason to alarm anybody. Null: the host is not up yet, so nothing is known [P5].
 */
export function trayModel(fleet: FleetView | null): TrayModel {
  const live = fleet?.processes.filter((row) => row.live) ?? [];
  const failed = live.filter((row) => row.state === 'failed');
  const summary = fleet === null ? 'Starting' : summaryOf(live);
  const waiting = waitingIn(live);
  return {
    icon: iconOf(live),
    tooltip: `Holdfast: ${summary}`,
    menu: [
      { kind: 'text', label: summary },
      { kind: 'separator' },
      ...(waiting === 0
        ? []
        : ([
            {
              kind: 'action',
              label: `${String(waiting)} waiting for you…`,
              action: { type: 'show-waiting' },
            },
            { kind: 'separator' },
          ] as const)),
      ...failed.slice(0, MOST_FAILED).map((row): TrayItem => ({
        kind: 'action',
        label: `✕ ${shortened(row.name)} failed`,
        action: { type: 'show-process', journalId: row.journalId, process: row.name },
      })),
      ...(failed.length > MOST_FAILED
        ? [{ kind: 'text', label: `and ${String(failed.length - MOST_FAILED)} more failed` } as const]
        : []),
      ...(failed.length > 0 ? [{ kind: 'separator' } as const] : []),
      { kind: 'action', label: 'Open Holdfast', action: { type: 'show' } },
      { kind: 'action', label: 'Open Journal…', action: { type: 'open-journal' } },
      { kind: 'separator' },
      { kind: 'action', label: 'Quit Holdfast', action: { type: 'quit' } },
    ],
  };
}

function iconOf(live: readonly ProcessRow[]): TrayIcon {
  if (live.some((row) => row.state === 'failed' || row.tone === 'alarm')) return 'alarm';
  if (live.some((row) => row.tone === 'attention')) return 'attention';
  return live.some(isUnderWay) ? 'ok' : 'idle';
}

function waitingIn(live: readonly ProcessRow[]): number {
  return live.reduce((sum, row) => sum + row.waiting.count, 0);
}

/** Whether a process does something, or will by itself. */
export function isUnderWay(row: ProcessRow): boolean {
  return row.live && ['starting', 'running', 'awaiting', 'stopping'].includes(row.state);
}

function summaryOf(live: readonly ProcessRow[]): string {
  if (live.length === 0) return 'No processes';
  const count = (what: string, rows: readonly ProcessRow[]): string[] =>
    rows.length === 0 ? [] : [`${String(rows.length)} ${what}`];
  const waiting = waitingIn(live);
  const parts = [
    ...count(
      'failed',
      live.filter((row) => row.state === 'failed'),
    ),
    ...count(
      'in doubt',
      live.filter((row) => row.doubts > 0),
    ),
    ...(waiting === 0 ? [] : [`${String(waiting)} waiting for you`]),
    ...count(
      'suspended',
      live.filter((row) => row.state === 'suspended'),
    ),
    ...count('running', live.filter(isUnderWay)),
  ];
  return parts.length > 0 ? parts.join(' · ') : `${String(live.length)} at rest`;
}

/** A name comes from a journal or a manifest: one line, bounded, without characters that would reorder the label. */
export function shortened(name: string): string {
  const plain = name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ').trim();
  return plain.length <= LONGEST_NAME ? plain : `${plain.slice(0, LONGEST_NAME - 1)}…`;
}
