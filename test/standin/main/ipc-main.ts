import { EventEmitter } from 'node:events';
import { preventable } from './event.ts';
import type { WebFrameMain } from './frames.ts';

type InvokeListener = (event: Electron.IpcMainInvokeEvent, ...args: unknown[]) => unknown;

/** Who sent a message: the page, and the frame in it, which is null if it has gone. */
export interface Sender {
  readonly sender: { send(channel: string, ...args: unknown[]): void };
  readonly senderFrame: WebFrameMain | null;
}

function eventFrom({ sender, senderFrame }: Sender) {
  return preventable({
    type: 'frame' as const,
    sender,
    senderFrame,
    frameId: senderFrame?.routingId ?? -1,
    processId: senderFrame?.processId ?? -1,
  });
}

export class IpcMain
  extends EventEmitter
  implements Pick<Electron.IpcMain, 'handle' | 'handleOnce' | 'removeHandler'>
{
  readonly #handlers = new Map<string, InvokeListener>();

  handle(channel: string, listener: InvokeListener): void {
    if (this.#handlers.has(channel)) {
      throw new Error(`Attempted to register a second handler for '${channel}'`);
    }
    this.#handlers.set(channel, listener);
  }

  handleOnce(channel: string, listener: InvokeListener): void {
    this.handle(channel, (event, ...args) => {
      this.removeHandler(channel);
      return listener(event, ...args);
    });
  }

  removeHandler(channel: string): void {
    this.#handlers.delete(channel);
  }

  /** The stand-in's own: whether `invoke` would find a handler here. */
  handles(channel: string): boolean {
    return this.#handlers.has(channel);
  }

  async receiveInvoke(from: Sender, channel: string, args: readonly unknown[]): Promise<unknown> {
    const handler = this.#handlers.get(channel);
    if (!handler) throw new Error(`No handler registered for '${channel}'`);
    return handler(eventFrom(from) as unknown as Electron.IpcMainInvokeEvent, ...args);
  }

  receiveSend(from: Sender, channel: string, args: readonly unknown[]): void {
    const reply = (answer: string, ...values: unknown[]): void => from.sender.send(answer, ...values);
    this.emit(channel, Object.assign(eventFrom(from), { ports: [], reply, returnValue: undefined }), ...args);
  }
}

export const ipcMain = new IpcMain().setMaxListeners(0);
