import type { IncomingMessage } from 'node:http';

export type ReadBody =
  | { readonly kind: 'whole'; readonly body: Uint8Array }
  | { readonly kind: 'too-large' }
  /** The sender went away, or was too slow and is told so elsewhere. */
  | { readonly kind: 'cut' };

/** Reads no further than `maxBytes`, and not at all where more is announced: the rest stays with the sender. */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  onStart: () => void,
): Promise<ReadBody> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    holdBack(request);
    return { kind: 'too-large' };
  }
  onStart();
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
      request.off('data', onData);
      holdBack(request);
      resolve({ kind: 'too-large' });
    };
    request.on('data', onData);
    request.on('end', () => resolve({ kind: 'whole', body: Buffer.concat(chunks) }));
    request.on('error', () => resolve({ kind: 'cut' }));
    request.on('close', () => resolve({ kind: 'cut' }));
  });
}

/** A request that nobody ever read would be read to its end, and thrown away, once it is answered. */
export function holdBack(request: IncomingMessage): void {
  request.pause();
  request.read(0);
}
