import type { Session as PageSession } from '../chromium/cdp.ts';
import type { Payload } from '../chromium/protocol.ts';
import { record } from '../record.ts';
import { preventable } from './event.ts';
import type { FrameTree, WebFrameMain } from './frames.ts';
import { PageLink } from './page-link.ts';
import { schemes } from './protocol.ts';
import { toApp } from './scheme-map.ts';

export interface Followed {
  readonly session: PageSession;
  readonly frames: FrameTree;
  readonly emit: (name: string, ...args: unknown[]) => void;
  readonly onLoaded: () => void;
  /** Of the main frame. */
  readonly onLoading: (isLoading: boolean) => void;
  readonly onOpening: (event: Payload<'Page.windowOpen'>) => void;
  readonly onRequest: (paused: Payload<'Fetch.requestPaused'>) => void;
}

/** What Chromium says of a page, in Electron's events and in the order of Electron's. */
export function followPage({ session: page, frames, emit, ...told }: Followed): void {
  page.on('Page.frameAttached', (event) => frames.attached(event));
  page.on('Page.frameDetached', (event) => frames.detached(event));
  page.on('Page.frameNavigated', ({ frame }) => navigated(frames.navigated(frame)));
  page.on('Page.navigatedWithinDocument', ({ frameId, url }) => {
    const frame = frames.frame(frameId);
    if (!frame) return;
    frame.url = toApp(url, schemes());
    emit(
      'did-navigate-in-page',
      preventable({}),
      frame.url,
      frame === frames.main,
      frame.processId,
      frame.routingId,
    );
  });
  page.on('Runtime.executionContextCreated', ({ context }) => {
    const { frameId } = (context.auxData ?? {}) as { frameId?: string };
    if (PageLink.isIsolatedWorld(context.name) && frameId !== undefined)
      frames.contextCreated(context.id, frameId);
  });
  page.on('Runtime.executionContextDestroyed', ({ executionContextId }) =>
    frames.contextDestroyed(executionContextId),
  );
  page.on('Runtime.executionContextsCleared', () => frames.contextsCleared());
  page.on('Page.domContentEventFired', () => emit('dom-ready', preventable({})));
  page.on('Page.loadEventFired', () => {
    told.onLoaded();
    emit('did-finish-load');
  });
  const loading = (frameId: string, isLoading: boolean): void => {
    if (frameId === frames.main.frameToken) told.onLoading(isLoading);
  };
  page.on('Page.frameStartedLoading', ({ frameId }) => loading(frameId, true));
  page.on('Page.frameStoppedLoading', ({ frameId }) => loading(frameId, false));
  page.on('Page.javascriptDialogOpening', ({ type, message }) => record('page-dialog', { type, message }));
  page.on('Page.windowOpen', told.onOpening);
  page.on('Fetch.requestPaused', told.onRequest);

  function navigated(frame: WebFrameMain | undefined): void {
    if (!frame) return;
    const isMainFrame = frame === frames.main;
    if (isMainFrame) emit('did-navigate', preventable({}), frame.url, 200, 'OK');
    emit(
      'did-frame-navigate',
      preventable({}),
      frame.url,
      200,
      'OK',
      isMainFrame,
      frame.processId,
      frame.routingId,
    );
  }
}
