import { join } from 'node:path';

export interface PathFacts {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly temp: string;
  readonly name: string;
  readonly executable: string;
}

function appData({ platform, env, home }: PathFacts): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return env['APPDATA'] ?? join(home, 'AppData', 'Roaming');
  return env['XDG_CONFIG_HOME'] ?? join(home, '.config');
}

/** Where Electron's `app.getPath` points unless the app says otherwise; undefined for a name it does not know. */
export function defaultPath(name: string, facts: PathFacts): string | undefined {
  const userData = join(appData(facts), facts.name);
  const folders: Record<string, string> = {
    home: facts.home,
    temp: facts.temp,
    exe: facts.executable,
    module: facts.executable,
    appData: appData(facts),
    userData,
    sessionData: userData,
    logs:
      facts.platform === 'darwin' ? join(facts.home, 'Library', 'Logs', facts.name) : join(userData, 'logs'),
    crashDumps: join(userData, 'Crashpad'),
  };
  for (const place of ['desktop', 'documents', 'downloads', 'music', 'pictures', 'videos']) {
    folders[place] = join(facts.home, place[0]!.toUpperCase() + place.slice(1));
  }
  return folders[name];
}
