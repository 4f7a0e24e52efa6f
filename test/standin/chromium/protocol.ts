// Chromium's own protocol, typed. Playwright publishes the types but not as an entry point of its package.
import type { Protocol } from '../../../node_modules/playwright-core/types/protocol.js';

export type Method = keyof Protocol.CommandParameters;
export type Params<M extends Method> = Protocol.CommandParameters[M];
export type Answer<M extends Method> = Protocol.CommandReturnValues[M];
export type EventName = keyof Protocol.Events;
export type Payload<E extends EventName> = Protocol.Events[E];
export type { Protocol };
