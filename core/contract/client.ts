import type { Result } from './define.ts';
import type { EventName, EventOf } from './events.ts';
import type { RequestName, RequestOf, ResponseOf } from './requests.ts';

/** How a console talks to its host, whatever lies between: a bridge, a socket, or nothing at all. */
export interface ConsoleClient {
  request<N extends RequestName>(name: N, request: RequestOf<N>): Promise<Result<ResponseOf<N>>>;
  /** The result unsubscribes. */
  on<N extends EventName>(name: N, listener: (event: EventOf<N>) => void): () => void;
}

/** What the preload puts on the page's window: one named function for each request and each event, and no more. */
export interface Bridge {
  readonly requests: {
    readonly [N in RequestName]: (request: RequestOf<N>) => Promise<Result<ResponseOf<N>>>;
  };
  readonly events: { readonly [N in EventName]: (listener: (event: EventOf<N>) => void) => () => void };
  /** The path of a file or directory dropped on the window; empty when it has none. */
  readonly pathOf: (file: unknown) => Promise<string>;
}
