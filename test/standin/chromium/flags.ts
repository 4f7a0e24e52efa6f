export interface ChromiumOptions {
  /** Where Chromium keeps its profile. */
  readonly profile: string;
  /** The port on which others (Playwright) may join; undefined opens none. 0 lets Chromium choose. */
  readonly port: number | undefined;
  readonly headless: boolean;
  /** Chromium refuses to run its sandbox as root. */
  readonly root: boolean;
}

const QUIET = [
  '--no-first-run',
  '--no-default-browser-check',
  '--no-service-autorun',
  '--no-pings',
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-client-side-phishing-detection',
  '--disable-component-extensions-with-background-pages',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-field-trial-config',
  '--disable-infobars',
  '--disable-quic',
  '--disable-search-engine-choice-screen',
  '--disable-sync',
  '--metrics-recording-only',
  '--password-store=basic',
  '--use-mock-keychain',
  '--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,LensOverlay,MediaRouter,OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch,Translate,AvoidCorsURLLoaderRestartOnRedirect,DestroyProfileOnBrowserClose',
];

// As in Electron, where a page's timers, frames and pop-ups don't depend on which window is in front.
const AS_IN_ELECTRON = [
  '--disable-back-forward-cache',
  '--disable-hang-monitor',
  '--disable-popup-blocking',
  '--disable-prompt-on-repost',
  '--autoplay-policy=no-user-gesture-required',
];

// The small /dev/shm of many containers makes Chromium crash.
const IN_CONTAINERS = ['--disable-dev-shm-usage'];

/** What a first Chromium and those that ask it for a further window have in common. The test type hides a bar about the sandbox. */
export function profileFlags({ profile, root }: Pick<ChromiumOptions, 'profile' | 'root'>): string[] {
  return [`--user-data-dir=${profile}`, ...(root ? ['--no-sandbox', '--test-type'] : [])];
}

export function chromiumFlags(options: ChromiumOptions): string[] {
  return [
    ...profileFlags(options),
    '--remote-debugging-pipe',
    ...(options.port === undefined ? [] : [`--remote-debugging-port=${options.port}`]),
    '--no-startup-window',
    ...(options.headless ? ['--headless=new'] : []),
    ...QUIET,
    ...AS_IN_ELECTRON,
    ...IN_CONTAINERS,
  ];
}
