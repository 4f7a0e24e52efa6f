import { AppError, codeOf, messageOf } from '../model/errors.ts';

/** The error for a path that the system does not let us read: what it is, and what to do. */
export function unreadable(path: string, cause: unknown): AppError {
  const code = codeOf(cause);
  if (code === 'ENOENT') {
    return new AppError(
      'journal.not-found',
      `${path} does not exist. Check the path, or whether its disk is mounted.`,
      { path },
      { cause },
    );
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return new AppError(
      'journal.unreadable',
      `${path} may not be read by this user. Ask its owner for read access.`,
      { path },
      { cause },
    );
  }
  return new AppError(
    'journal.unreadable',
    `${path} can't be read: ${messageOf(cause)}. Check the disk it is on.`,
    { path },
    { cause },
  );
}
