import { record } from '../record.ts';

export const crashReporter = {
  start(options?: Electron.CrashReporterStartOptions): void {
    record('crash-reporter', { uploadToServer: options?.uploadToServer ?? true });
  },
  addExtraParameter(key: string, value: string): void {
    record('crash-reporter.parameter', { key, value });
  },
} satisfies Partial<Electron.CrashReporter>;
