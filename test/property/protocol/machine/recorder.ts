// core/runtime/recorder.ts: what is noted counts at once, and whoever waits for it is told when it is as durable as asked.

import type { EntryType } from '../../../../core/model/entry.ts';
import type { JsonObject } from '../../../../core/model/json.ts';
import type { ProcessSnapshot } from '../../../../core/model/snapshot.ts';
import type { Place } from '../journal.ts';
import { headOf, type Disk, type Want } from '../state.ts';
import { Part } from './part.ts';

export class Recorder extends Part {
  override note(type: EntryType, data: JsonObject, want: Want | null = null, isSynced = false): void {
    this.write(
      this.state.journal,
      this.model.library.write(this.head, type, data, this.state.now),
      want,
      isSynced,
    );
  }

  write(disk: Disk, place: Place, want: Want | null, isSynced: boolean): void {
    this.on.violations.push(...place.violations);
    // Acknowledged in order: behind a line that is being synced, one that is only written waits for it.
    const waits = this.isAwaited(disk) || isSynced;
    disk.tail.push({ place, isSynced, wants: want === null || !waits ? [] : [want] });
    if (want !== null && !waits) this.grant(want);
  }

  /** Whether the last line is not acknowledged yet: `recorder.settled()`. */
  isAwaited({ tail }: Disk): boolean {
    if (this.model.scenario.durability === 'always') return true;
    return tail.some(({ isSynced }) => isSynced);
  }

  /** `recorder.settled()` */
  whenSettled(disk: Disk, want: Want): void {
    const last = disk.tail.at(-1);
    if (last === undefined || !this.isAwaited(disk)) this.grant(want);
    else disk.tail[disk.tail.length - 1] = { ...last, wants: [...last.wants, want] };
  }

  checkpoint(): void {
    // What it stands for is durable before it is written (core/journal/append-file.ts).
    const place = this.model.library.checkpoint(this.head, this.state.now);
    this.write(this.state.journal, place, null, false);
  }

  /** The checkpoint of where a rewind leads. */
  moved(target: Place, to: ProcessSnapshot): void {
    const place = this.model.library.moved(this.head, to, target, this.state.now);
    this.write(this.state.journal, place, null, false);
  }

  sync(disk: Disk): void {
    const lines = disk.tail;
    disk.kept = headOf(disk);
    disk.tail = [];
    for (const want of lines.flatMap(({ wants }) => wants)) this.grant(want);
  }

  grant(want: Want): void {
    const { told } = this.state;
    switch (want.is) {
      case 'source':
        if (!told.accepted.includes(want.eventId)) told.accepted.push(want.eventId);
        this.on.process.lift(['idle']);
        this.on.process.wake();
        return;
      case 'settler':
        this.#toldSettled(want.waitId, want.status);
        this.on.process.wake();
        return;
      case 'settled by time':
        this.#toldSettled(want.waitId, want.status);
        return;
      case 'reader':
        if (!told.notes.includes(want.messageId)) told.notes.push(want.messageId);
        return;
      case 'operator':
        told[want.did] += 1;
        if (want.did === 'redelivered') this.on.process.wake();
        return;
      case 'permit': {
        if (this.state.host?.worker?.generation !== want.generation) return;
        const pending = this.host.pending.find(({ effectId }) => effectId === want.effectId);
        if (pending === undefined) return;
        pending.isOnRecord = true;
        this.on.gate.permitIfDue(want.effectId);
        return;
      }
      case 'sender':
        this.on.messages.arrived(want.number);
        return;
    }
  }

  #toldSettled(waitId: string, status: string): void {
    const before = this.state.told.settled[waitId];
    if (before !== undefined && before !== status)
      this.blame('P1', `${waitId} was ${before} to one settler and is ${status} to the next`);
    this.state.told.settled[waitId] = status;
  }
}
