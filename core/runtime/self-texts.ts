// What an agent is told of a change that it asked for. The same, whenever it asks again.

import { describeChange, type SelfChange } from '../model/self-change.ts';

const NEXT = 'It applies from the next event on.';

export function doneText(change: SelfChange): string {
  switch (change.kind) {
    case 'instructions':
      return `Your instructions are changed (change ${change.seq}). ${NEXT}`;
    case 'trigger':
      return `The trigger ${change.what} is added (change ${change.seq}).`;
    case 'server':
      return `The server ${change.what} is connected (change ${change.seq}). Its tools are there from the next event on.`;
    case 'process':
      return `The process ${change.what} is begun (change ${change.seq}). What it uses counts for your budget.`;
  }
}

export function overText(change: SelfChange): string {
  return `${capital(describeChange(change))} ${change.kind === 'trigger' ? 'is removed' : 'is disconnected'}.`;
}

export function undoneText(changes: readonly SelfChange[]): string {
  const names = changes.map((change) => `${change.seq} (${describeChange(change)})`).join(', ');
  // A trigger and a process are gone at once.
  const isLater = changes.some(({ kind }) => kind === 'instructions' || kind === 'server');
  return `Undone: ${names}.${isLater ? ` ${NEXT}` : ''}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
