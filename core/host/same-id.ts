import { AppError } from '../model/errors.ts';

/** Addresses would lead to both. */
export function sameId(directory: string, other: string): AppError {
  return new AppError(
    'journal.same-id',
    `${directory} is a copy of ${other}, which is open: both have the same id. Close that one first.`,
    { directory, other },
  );
}
