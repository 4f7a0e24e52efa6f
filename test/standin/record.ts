/** Something that would have reached the operating system. Plain data, so that a test can read it from outside. */
export interface RecordedEvent {
  readonly kind: string;
  readonly [detail: string]: unknown;
}

export const events: RecordedEvent[] = [];

const listeners = new Set<(event: RecordedEvent) => void>();

export function record(kind: string, detail: Readonly<Record<string, unknown>> = {}): void {
  const event = { kind, ...detail };
  events.push(event);
  for (const listener of listeners) listener(event);
}

export function onRecord(listener: (event: RecordedEvent) => void): void {
  listeners.add(listener);
}
