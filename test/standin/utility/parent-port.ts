import { EventEmitter } from 'node:events';

/** `process.parentPort`: what arrives before anybody listens is kept. */
export class ParentPort extends EventEmitter implements Pick<Electron.ParentPort, 'postMessage'> {
  #early: unknown[] | undefined = [];

  constructor() {
    super();
    process.on('message', (data) => {
      if (this.#early) this.#early.push(data);
      else this.#deliver(data);
    });
    this.on('newListener', (name) => {
      if (name === 'message') queueMicrotask(() => this.start());
    });
  }

  #deliver(data: unknown): void {
    this.emit('message', { data, ports: [] });
  }

  start(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const data of early) this.#deliver(data);
  }

  pause(): void {
    this.#early ??= [];
  }

  postMessage(message: unknown): void {
    process.send!(message);
  }
}
