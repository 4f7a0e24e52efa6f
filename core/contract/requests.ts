import type { z } from 'zod';
import type { RequestDefinition } from './define.ts';
import { GOVERNANCE_REQUESTS } from './governance-requests.ts';
import { LOOK_REQUESTS } from './look-requests.ts';
import { MANIFEST_REQUESTS } from './manifest-requests.ts';
import { MEMORY_REQUESTS } from './memory-requests.ts';
import { PROCESS_REQUESTS } from './process-requests.ts';
import { REWIND_REQUESTS } from './rewind-requests.ts';
import { TRIGGER_REQUESTS } from './trigger-requests.ts';
import { WORK_REQUESTS } from './work-requests.ts';

/** Every request of the console, once. Servers register from this table; clients and the preload derive from it. */
export const REQUESTS = {
  ...LOOK_REQUESTS,
  ...PROCESS_REQUESTS,
  ...WORK_REQUESTS,
  ...TRIGGER_REQUESTS,
  ...GOVERNANCE_REQUESTS,
  ...MANIFEST_REQUESTS,
  ...REWIND_REQUESTS,
  ...MEMORY_REQUESTS,
} as const satisfies Record<string, RequestDefinition>;

type Requests = typeof REQUESTS;
export type RequestName = keyof Requests;
export type RequestOf<N extends RequestName> = z.input<Requests[N]['request']>;
export type ResponseOf<N extends RequestName> = z.output<Requests[N]['response']>;
