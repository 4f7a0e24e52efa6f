// Listens at a path, says so, and goes on until it is killed.

import { writeSync } from 'node:fs';
import { createServer } from 'node:net';

createServer().listen(process.argv[2]!, () => writeSync(1, 'listening\n'));
