// A thread beside the agent that ends the worker with everything it started when its host goes: the agent may compute
// without end, or write into a pipe that nobody reads any more. Nothing is ever written to this pipe; it only ends.

import { Socket } from 'node:net';
import { workerData } from 'node:worker_threads';
import { endWithEverything } from './end-with-everything.ts';

const { fd } = workerData as { readonly fd: number };
const pipe = new Socket({ fd, readable: true, writable: false });
pipe.on('error', endWithEverything);
pipe.on('close', endWithEverything);
pipe.resume();
