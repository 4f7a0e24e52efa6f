// How a provider is reached: no further than the address that was named, and for no more than it may take.

import { AppError } from '../../model/errors.ts';

/** A fetch that follows no redirect, which would carry a prompt elsewhere, and reads at most so many bytes. */
export function boundedFetch(maxBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw redirected(response);
    }
    const { body } = response;
    if (body === null) return response;
    if (Number(response.headers.get('content-length') ?? 0) > maxBytes) {
      await body.cancel();
      throw tooLarge(maxBytes);
    }
    const { status, statusText, headers } = response;
    return new Response(body.pipeThrough(atMost(maxBytes)), { status, statusText, headers });
  };
}

function atMost(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      controller.enqueue(chunk);
    },
  });
}

function redirected({ status, headers }: Response): AppError {
  const location = headers.get('location');
  const target = location === null || !URL.canParse(location) ? 'elsewhere' : new URL(location).origin;
  return new AppError(
    'model.redirected',
    `The address redirects to ${target} (${status}), which is not followed. Name the address itself.`,
    { status },
  );
}

function tooLarge(maxBytes: number): AppError {
  return new AppError(
    'model.answer-too-large',
    `The answer has more than ${maxBytes} bytes, which is the most. Nothing of it is kept.`,
    { max: maxBytes },
  );
}
