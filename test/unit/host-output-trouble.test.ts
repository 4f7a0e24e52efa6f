// What a journal's view says of output that can't be kept: as long as that is so, and no longer.

import { expect, test } from 'vitest';
import { outputSinks } from '../../core/host/keep-output.ts';
import { LOCAL_DISK, type Disk } from '../../core/journal/disk.ts';
import { tempDirectory } from '../support/temp-directory.ts';

test('[P5] trouble is told while it lasts, whichever process has it', () => {
  let isFull = false;
  const disk: Disk = {
    ...LOCAL_DISK,
    open: (...args) => {
      if (isFull) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
      return LOCAL_DISK.open(...args);
    },
  };
  using sinks = outputSinks(tempDirectory(), { disk });
  const write = (process: string): void => {
    const sink = sinks.of(process)!;
    sink.write({ generation: 1, stream: 'out', text: 'a line' });
    sink.flush();
  };
  write('a');
  expect(sinks.trouble()).toBeNull();
  isFull = true;
  write('b');
  expect(sinks.trouble()).toMatchObject({ code: 'output.unwritable', detail: { process: 'b' } });
  isFull = false;
  write('a');
  expect(sinks.trouble()).toMatchObject({ detail: { process: 'b' } });
  write('b');
  expect(sinks.trouble()).toBeNull();
});
