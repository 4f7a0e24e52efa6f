// What a worker under the command line and in tests starts with. What its host keeps compiled it takes from there, before
// anything else is loaded.

import { enableCompileCache, flushCompileCache } from 'node:module';
import type { HarnessStart } from './worker-harness.ts';

/** Long after whatever a worker is woken for has begun. */
const KEEP_AFTER_MS = 3_000;

const start = JSON.parse(process.argv[2]!) as HarnessStart & { readonly compiled: string | null };
if (start.compiled !== null) enableCompileCache(start.compiled);
// One that is killed keeps nothing more.
setTimeout(flushCompileCache, KEEP_AFTER_MS).unref();
const { serve } = await import('./child-process-worker.ts');
serve(start);
