// The bridge: one function for each request and each event of the contract, and a way to a dropped file's path. The
// page gets no channel, no event object, and nothing that takes a channel's name.

import { contextBridge, ipcRenderer, webUtils, type IpcRendererEvent } from 'electron';
import type { Bridge } from '../../core/contract/client.ts';
import {
  BRIDGE,
  EVENT_NAMES,
  eventChannel,
  REQUEST_NAMES,
  requestChannel,
} from '../../core/contract/names.ts';

type Request = (request: unknown) => Promise<unknown>;
type Subscribe = (listener: (payload: unknown) => void) => () => void;

const requests = Object.fromEntries(
  REQUEST_NAMES.map((name): [string, Request] => {
    const channel = requestChannel(name);
    return [name, (request) => ipcRenderer.invoke(channel, request)];
  }),
);

const events = Object.fromEntries(
  EVENT_NAMES.map((name): [string, Subscribe] => {
    const channel = eventChannel(name);
    return [
      name,
      (listener) => {
        const forward = (_event: IpcRendererEvent, payload: unknown): void => listener(payload);
        ipcRenderer.on(channel, forward);
        return () => {
          ipcRenderer.off(channel, forward);
        };
      },
    ];
  }),
);

/** Anything but a file from the disk (text, an image out of a page, a forged object) has no path. */
function pathOf(file: unknown): Promise<string> {
  try {
    return Promise.resolve(webUtils.getPathForFile(file as Parameters<typeof webUtils.getPathForFile>[0]));
  } catch {
    return Promise.resolve('');
  }
}

const bridge = Object.freeze({
  requests: Object.freeze(requests),
  events: Object.freeze(events),
  pathOf,
}) as unknown as Bridge;

contextBridge.exposeInMainWorld(BRIDGE, bridge);
