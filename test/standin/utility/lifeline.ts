// A thread that ends this process when its parent has gone, whatever the main thread is doing: in Electron the utility
// process goes with the browser process. Nothing is ever written to this pipe; it only ends.
import { Socket } from 'node:net';
import { workerData } from 'node:worker_threads';

const { fd } = workerData as { fd: number };
const pipe = new Socket({ fd, readable: true, writable: false });
pipe.on('error', () => process.kill(process.pid, 'SIGKILL'));
pipe.on('close', () => process.kill(process.pid, 'SIGKILL'));
pipe.resume();
