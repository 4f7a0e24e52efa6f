import { background, GoneError, type Session } from '../chromium/cdp.ts';
import type { Payload } from '../chromium/protocol.ts';
import { handlerOf, schemes } from './protocol.ts';
import { headerToChromium, toApp } from './scheme-map.ts';

type Paused = Payload<'Fetch.requestPaused'>;

function toRequest({ request }: Paused, url: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) headers.append(name, toApp(value, schemes()));
  const body = request.postDataEntries?.map(({ bytes }) => Buffer.from(bytes ?? '', 'base64'));
  return new Request(url, { method: request.method, headers, ...(body && { body: Buffer.concat(body) }) });
}

async function answer(session: Session, paused: Paused, response: Response): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer()).toString('base64');
  await session.send('Fetch.fulfillRequest', {
    requestId: paused.requestId,
    responseCode: response.status,
    responseHeaders: [...response.headers].map(([name, value]) => ({
      name,
      value: headerToChromium(name, value, schemes()),
    })),
    body,
  });
}

/** Answers a request for an address of the app by its `protocol.handle`, and lets any other go on. */
export async function serve(session: Session, paused: Paused): Promise<void> {
  const url = toApp(paused.request.url, schemes());
  const handler = url === paused.request.url ? undefined : handlerOf(url);
  const { requestId } = paused;
  if (!handler) {
    await session.send('Fetch.continueRequest', { requestId });
    return;
  }
  try {
    await answer(session, paused, await handler(toRequest(paused, url)));
  } catch (error) {
    if (error instanceof GoneError) return;
    console.error(`stand-in: protocol handler failed for ${url}:`, error);
    background(session.send('Fetch.failRequest', { requestId, errorReason: 'Failed' }));
  }
}
