// The other end of an SDK's process: answers requests, and ends with whoever started it.

import { SDK_START, type FromSdk } from './sdk-process.ts';

export function sdkStart<T>(): T {
  return JSON.parse(process.env[SDK_START]!) as T;
}

/** Says that work can be taken, and hands over each request. */
export function serveSdk<Request extends object>(answer: (request: Request) => Promise<number>): void {
  const tell = (message: FromSdk): void => void process.send?.(message);
  process.on('disconnect', () => process.exit(0));
  process.on('message', (raw) => {
    const request = raw as Request & { readonly id: number };
    const { id } = request;
    answer(request).then(
      (value) => tell({ type: 'answer', id, value }),
      (error: unknown) => tell({ type: 'failure', id, message: String(error) }),
    );
  });
  tell({ type: 'ready', at: String(process.hrtime.bigint()) });
}
