// How the page's own world and the preload's isolated world reach each other: over one detached DOM node, which both
// hold and no page script can find. Chromium clones what crosses; functions and promises cross as numbers. Runs in the
// page as source text, so it may use only its arguments and the DOM.

type Wire =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'array'; readonly items: readonly Wire[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, Wire])[] }
  | { readonly kind: 'function'; readonly id: number }
  | { readonly kind: 'promise'; readonly id: number }
  | { readonly kind: 'error'; readonly message: string };

type Signal =
  | { readonly type: 'call'; readonly call: number; readonly id: number; readonly args: readonly Wire[] }
  | { readonly type: 'answer'; readonly call: number; readonly value: Wire }
  | { readonly type: 'threw'; readonly call: number; readonly value: Wire }
  | { readonly type: 'settled'; readonly id: number; readonly value: Wire; readonly rejected: boolean }
  | { readonly type: 'named'; readonly name: string; readonly value: Wire };

export interface BridgeOptions {
  readonly port: EventTarget;
  /** The name under which this world's signals travel, and that of the other's. */
  readonly outgoing: string;
  readonly incoming: string;
  /** A last look at what a promise gave, before it crosses. */
  readonly finish: (value: unknown) => Promise<unknown>;
}

export interface Bridge {
  /** Gives the other world a value by name; a function that comes back from `receive` there. */
  send(name: string, value: unknown): void;
  receive(listener: (name: string, value: unknown) => void): void;
}

export function createBridge({ port, outgoing, incoming, finish }: BridgeOptions): Bridge {
  const functions = new Map<number, (...args: unknown[]) => unknown>();
  const ids = new WeakMap<object, number>();
  const answers = new Map<number, Signal>();
  const promises = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  let last = 0;
  let named: (name: string, value: unknown) => void = () => undefined;

  const signal = (detail: Signal): void => void port.dispatchEvent(new CustomEvent(outgoing, { detail }));

  const settle = (id: number, result: Promise<unknown>): void => {
    result
      .then(finish)
      .then((value) => signal({ type: 'settled', id, value: toWire(value), rejected: false }))
      .catch((error: unknown) => signal({ type: 'settled', id, value: toWire(error), rejected: true }));
  };

  function toWire(value: unknown): Wire {
    if (typeof value === 'function') {
      const id = ids.get(value) ?? ++last;
      ids.set(value, id);
      functions.set(id, value as (...args: unknown[]) => unknown);
      return { kind: 'function', id };
    }
    if (typeof value !== 'object' || value === null) return { kind: 'value', value };
    if (value instanceof Promise) {
      const id = ++last;
      // Nothing settles before the answer that announces it has crossed: this thread is still busy with that.
      settle(id, value);
      return { kind: 'promise', id };
    }
    if (value instanceof Error) return { kind: 'error', message: value.message };
    if (Array.isArray(value)) return { kind: 'array', items: value.map((item) => toWire(item)) };
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) return { kind: 'value', value };
    return {
      kind: 'object',
      entries: Object.entries(value).map(([key, item]) => [key, toWire(item)] as const),
    };
  }

  function fromWire(wire: Wire): unknown {
    switch (wire.kind) {
      case 'value':
        return wire.value;
      case 'array':
        return wire.items.map((item) => fromWire(item));
      case 'object':
        return Object.fromEntries(wire.entries.map(([key, item]) => [key, fromWire(item)]));
      case 'error':
        return new Error(wire.message);
      case 'promise':
        return new Promise((resolve, reject) => promises.set(wire.id, { resolve, reject }));
      case 'function':
        return (...args: unknown[]) => call(wire.id, args);
    }
  }

  // Both worlds share a thread: the answer has arrived when the event has been dispatched.
  function call(id: number, args: readonly unknown[]): unknown {
    const number = ++last;
    signal({ type: 'call', call: number, id, args: args.map((item) => toWire(item)) });
    const answer = answers.get(number);
    answers.delete(number);
    if (answer?.type === 'answer') return fromWire(answer.value);
    if (answer?.type === 'threw') throw fromWire(answer.value);
    throw new Error('The other side of the bridge has gone.');
  }

  function perform(number: number, id: number, args: readonly Wire[]): void {
    try {
      const value = functions.get(id)!(...args.map((item) => fromWire(item)));
      signal({ type: 'answer', call: number, value: toWire(value) });
    } catch (error) {
      signal({ type: 'threw', call: number, value: toWire(error) });
    }
  }

  port.addEventListener(incoming, (event) => {
    const detail = (event as CustomEvent<Signal>).detail;
    switch (detail.type) {
      case 'call':
        perform(detail.call, detail.id, detail.args);
        break;
      case 'answer':
      case 'threw':
        answers.set(detail.call, detail);
        break;
      case 'settled': {
        const waiting = promises.get(detail.id);
        promises.delete(detail.id);
        if (detail.rejected) waiting?.reject(fromWire(detail.value));
        else waiting?.resolve(fromWire(detail.value));
        break;
      }
      case 'named':
        named(detail.name, fromWire(detail.value));
        break;
    }
  });

  return {
    send: (name, value) => signal({ type: 'named', name, value: toWire(value) }),
    receive: (listener) => {
      named = listener;
    },
  };
}
