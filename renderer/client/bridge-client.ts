import type { Bridge, ConsoleClient } from '../../core/contract/client.ts';
import { messageOf } from '../../core/model/errors.ts';

/** Of a request that never reached the host, as opposed to one that the host refused. */
export const UNREACHABLE = 'console.host-unreachable';

/** The client over the preload's bridge. It never rejects: a broken channel is an error like any other. */
export function bridgeClient(bridge: Bridge): ConsoleClient {
  return {
    async request(name, request) {
      try {
        return await bridge.requests[name](request);
      } catch (error) {
        return {
          ok: false,
          error: {
            code: UNREACHABLE,
            message: `The request ${name} did not reach the host (${messageOf(error)}). Nothing is known of its effect; try again when the host answers.`,
          },
        };
      }
    },
    on: (name, listener) => bridge.events[name](listener),
  };
}
