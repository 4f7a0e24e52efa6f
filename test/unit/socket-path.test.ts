import { join } from 'node:path';
import { expect, test } from 'vitest';
import { longestSocketPath, socketPath } from '../../core/host/socket-path.ts';

const ID = '3b0fbd5e-8b51-4f0b-9a61-0c4c5b4ad6b3';

test('the address follows from the data folder and the journal’s id, whatever the id is made of', () => {
  expect(socketPath('/data', ID, 'linux')).toBe(socketPath('/data', ID, 'linux'));
  expect(socketPath('/data', ID, 'linux')).toMatch(/^\/data\/sockets\/[0-9a-f]{16}\.sock$/);
  for (const id of ['../../etc/x', 'x'.repeat(10_000), '\u0000', ''])
    expect(socketPath('/data', id, 'linux')).toMatch(/^\/data\/sockets\/[0-9a-f]{16}\.sock$/);
});

test('on Windows it is a pipe, one for each data folder', () => {
  const pipe = socketPath('C:\\one', ID, 'win32');
  expect(pipe).toMatch(/^\\\\\.\\pipe\\holdfast-[0-9a-f]{16}$/);
  expect(socketPath('C:\\other', ID, 'win32')).not.toBe(pipe);
});

test.each(['linux', 'darwin'] as const)(
  'on %s one that the system would cut is refused, counted in bytes',
  (platform) => {
    const own = Buffer.byteLength(socketPath('/d', ID, platform)) - 1;
    const fits = `/${'d'.repeat(longestSocketPath(platform) - own)}`;
    expect(Buffer.byteLength(socketPath(fits, ID, platform))).toBe(longestSocketPath(platform));
    for (const data of [`${fits}d`, fits.replace('dd', 'dé')])
      expect(() => socketPath(data, ID, platform)).toThrow(/HOLDFAST_DATA/);
    expect(() => socketPath(join(fits, 'x'), ID, platform)).toThrow(
      expect.objectContaining({ code: 'socket.path-too-long' }),
    );
  },
);
