/** A sync holds a thread for as long as the disk takes, and a disk makes many files durable at once as fast as a few. */
const THREADS = '16';

/**
 * Lets more than four journals be synced at the same time. Counts before the process first uses its threads, and where
 * nobody has said how many there are to be.
 */
export function widenThreadPool(): void {
  process.env['UV_THREADPOOL_SIZE'] ??= THREADS;
}
