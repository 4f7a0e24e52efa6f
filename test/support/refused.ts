import { AppError } from '../../core/model/errors.ts';

/** Refusing is an answer; anything that is no word to an operator is a fault. */
export async function refused<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
