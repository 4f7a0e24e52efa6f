import { EventEmitter } from 'node:events';

type Source = Electron.NativeTheme['themeSource'];
type Kept =
  | 'inForcedColorsMode'
  | 'prefersReducedTransparency'
  | 'shouldUseDarkColors'
  | 'shouldUseHighContrastColors'
  | 'shouldUseInvertedColorScheme'
  | 'themeSource';

class NativeTheme extends EventEmitter implements Pick<Electron.NativeTheme, Kept> {
  readonly inForcedColorsMode = false;
  readonly prefersReducedTransparency = false;
  readonly shouldUseHighContrastColors = false;
  readonly shouldUseInvertedColorScheme = false;
  #source: Source = 'system';
  #system: 'dark' | 'light' | undefined;

  get themeSource(): Source {
    return this.#source;
  }

  set themeSource(source: Source) {
    this.#source = source;
    this.emit('updated');
  }

  get shouldUseDarkColors(): boolean {
    return this.forPages() === 'dark';
  }

  /** The stand-in's own: what the desktop is set to, for tests. */
  setSystem(scheme: 'dark' | 'light'): void {
    this.#system = scheme;
    this.emit('updated');
  }

  /** The stand-in's own: the colours that pages are told, or undefined to let Chromium follow the desktop. */
  forPages(): 'dark' | 'light' | undefined {
    return this.#source === 'system' ? this.#system : this.#source;
  }
}

export const nativeTheme = new NativeTheme().setMaxListeners(0);
