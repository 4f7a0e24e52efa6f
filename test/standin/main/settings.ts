/** What is known of the app before its first line runs. */
export interface Settings {
  name: string;
  version: string;
  appPath: string;
  /** A person started it, not a test: what a desktop would show goes to the terminal. */
  attended: boolean;
}

export const settings: Settings = {
  name: 'Electron',
  version: '0.0.0',
  appPath: process.cwd(),
  attended: false,
};
