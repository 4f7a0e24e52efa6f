import { background, type Session } from '../chromium/cdp.ts';
import type { Payload } from '../chromium/protocol.ts';
import { preventable } from './event.ts';
import type { FrameTree, WebFrameMain } from './frames.ts';
import { schemes } from './protocol.ts';
import { toApp } from './scheme-map.ts';

type Paused = Payload<'Fetch.requestPaused'>;
type Requested = Payload<'Page.frameRequestedNavigation'>;

export interface NavigationOptions {
  readonly session: Session;
  readonly frames: FrameTree;
  readonly emit: (name: string, ...args: unknown[]) => void;
}

const HTTP = /^https?:/i;

/** Raises `will-navigate` and its kin for what a page does, and not for what main does, as Electron does. */
export class Navigation {
  readonly #options: NavigationOptions;
  /** Addresses that main has asked for and that Chromium has not yet requested. */
  readonly #ours: string[] = [];
  /** What frames have asked for, by frame id. */
  readonly #requested = new Map<string, string>();
  /** The last address that a page wanted elsewhere than in its own frame. */
  #aside = '';

  constructor(options: NavigationOptions) {
    this.#options = options;
    options.session.on('Page.frameRequestedNavigation', (event) => this.#onRequested(event));
  }

  /** Main goes there itself. Disposing takes that back, if Chromium has not asked for it. */
  expect(address: string): Disposable {
    // A fragment is never requested.
    const url = address.replace(/#.*$/s, '');
    this.#ours.push(url);
    return { [Symbol.dispose]: () => void this.#take(url) };
  }

  #take(url: string): boolean {
    const at = this.#ours.indexOf(url);
    if (at >= 0) this.#ours.splice(at, 1);
    return at >= 0;
  }

  openedAside(url: string): boolean {
    return this.#aside === url;
  }

  #onRequested({ frameId, url, disposition }: Requested): void {
    if (disposition !== 'currentTab') {
      this.#aside = url;
      return;
    }
    if (HTTP.test(url)) {
      this.#requested.set(frameId, url);
      return;
    }
    // Nothing is fetched for these (mailto:, blob:, data:), so there is no request to hold back.
    if (!this.#ask(frameId, url)) background(this.#options.session.send('Page.stopLoading'));
  }

  /** False if the app prevents it. */
  #ask(frameId: string, url: string): boolean {
    const { frames, emit } = this.#options;
    const frame = frames.frame(frameId) ?? null;
    const isMainFrame = frame === frames.main;
    const details = {
      url: toApp(url, schemes()),
      isSameDocument: false,
      isMainFrame,
      frame,
      initiator: frame,
    };
    const event = preventable(details);
    emit('will-frame-navigate', event, details.url, false, isMainFrame, ...idsOf(frame));
    if (isMainFrame) emit('will-navigate', event, details.url, false, true, ...idsOf(frame));
    return !event.defaultPrevented;
  }

  /** Whether a held-back request may go on. */
  async allows({ resourceType, request, frameId, redirectedRequestId }: Paused): Promise<boolean> {
    if (resourceType !== 'Document') return true;
    const { frames, emit, session } = this.#options;
    const frame = frames.frame(frameId) ?? null;
    const isMainFrame = frame === frames.main;
    if (redirectedRequestId !== undefined) {
      const details = {
        url: toApp(request.url, schemes()),
        isSameDocument: false,
        isMainFrame,
        frame,
        initiator: frame,
      };
      const event = preventable(details);
      emit('will-redirect', event, details.url, false, isMainFrame, ...idsOf(frame));
      return !event.defaultPrevented;
    }
    if (!isMainFrame) return this.#ask(frameId, request.url);
    if (this.#take(request.url)) return true;
    // The page says that it asked and the browser that it asks; the two come by different ways. Once the page has
    // answered this, what it said before has arrived.
    if (!this.#requested.has(frameId)) await session.send('Runtime.evaluate', { expression: '0' });
    return this.#requested.delete(frameId) ? this.#ask(frameId, request.url) : true;
  }
}

function idsOf(frame: WebFrameMain | null): [number, number] {
  return [frame?.processId ?? -1, frame?.routingId ?? -1];
}
