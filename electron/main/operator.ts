import { userInfo } from 'node:os';

/** Who sits here, for the record of every action [P7]. An account without a name is named by its number. */
export function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${String(process.getuid?.() ?? 'unknown')}`;
  }
}
