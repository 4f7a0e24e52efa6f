import type { Payload } from '../chromium/protocol.ts';
import { record } from '../record.ts';
import { schemes } from './protocol.ts';
import { toApp } from './scheme-map.ts';

export type OpenHandler = Parameters<Electron.WebContents['setWindowOpenHandler']>[0];
export type Opened = Pick<Electron.HandlerDetails, 'url' | 'frameName' | 'features' | 'disposition'>;

export interface OpeningsOptions {
  /** The address of the page that asks. */
  from(): string;
  allowed(url: string, options: Electron.BrowserWindowConstructorOptions): void;
}

/** The windows that a page wants to open, and what the app says to each. */
export class Openings {
  handler: OpenHandler = () => ({ action: 'allow' });
  readonly #options: OpeningsOptions;
  #announced: Opened | undefined;

  constructor(options: OpeningsOptions) {
    this.#options = options;
  }

  /** Chromium says so before it opens one. */
  announced({ url, windowName, windowFeatures }: Payload<'Page.windowOpen'>): void {
    const features = windowFeatures.join(',');
    this.#announced = { url, frameName: windowName, features, disposition: 'foreground-tab' };
  }

  /** One is open already, past the guard in the page. Its own address is not always known yet. */
  strayed(url: string, isOpener: boolean): void {
    const disposition = isOpener ? 'foreground-tab' : 'background-tab';
    this.request((isOpener && this.#announced) || { url, frameName: '', features: '', disposition });
  }

  request({ url, ...details }: Opened): void {
    const shown = toApp(url, schemes());
    const referrer = { url: this.#options.from(), policy: 'default' as const };
    const answer = this.handler({ ...details, url: shown, referrer });
    record('window-open', { url: shown, action: answer.action });
    if (answer.action === 'allow') this.#options.allowed(shown, answer.overrideBrowserWindowOptions ?? {});
  }
}
