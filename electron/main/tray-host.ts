import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const BUS = 'org.freedesktop.DBus';
const WATCHER = 'org.kde.StatusNotifierWatcher';
const PATIENCE_MS = 2_000;

/**
 * Whether the desktop shows trays. Always on Windows and macOS. On Linux somebody has to be on the session bus to show
 * them, and if nobody is, an icon is made and never seen. HOLDFAST_TRAY=yes or no answers for a desktop that is misjudged.
 */
export async function hasTrayHost(
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const told = environment['HOLDFAST_TRAY'];
  if (told === 'yes' || told === 'no') return told === 'yes';
  if (platform !== 'linux') return true;
  if ((environment['DBUS_SESSION_BUS_ADDRESS'] ?? '') === '') return false;
  const question = ['call', '--session', '--dest', BUS, '--object-path', '/org/freedesktop/DBus'];
  try {
    const { stdout } = await promisify(execFile)(
      'gdbus',
      [...question, '--method', `${BUS}.NameHasOwner`, WATCHER],
      { timeout: PATIENCE_MS, env: { ...environment } },
    );
    return stdout.includes('true');
  } catch {
    // Without the tool or the bus nobody knows; a window that closes can be opened again, a hidden one is lost.
    return false;
  }
}
