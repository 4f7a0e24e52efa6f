import { EventEmitter } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';

/** A port of a channel within main: it can't be given to a page or a utility process here. */
class MessagePortMain
  extends EventEmitter
  implements Pick<Electron.MessagePortMain, 'close' | 'postMessage' | 'start'>
{
  readonly #port: MessagePort;

  constructor(port: MessagePort) {
    super();
    this.#port = port;
    port.on('close', () => this.emit('close'));
  }

  /** Messages wait until this is called. */
  start(): void {
    this.#port.on('message', (data) => this.emit('message', { data, ports: [] }));
  }

  postMessage(message: unknown): void {
    this.#port.postMessage(message, []);
  }

  close(): void {
    this.#port.close();
  }
}

export class MessageChannelMain {
  readonly port1: MessagePortMain;
  readonly port2: MessagePortMain;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.port1 = new MessagePortMain(port1);
    this.port2 = new MessagePortMain(port2);
  }
}
