// Which addresses something may be sent to.

import { expect, test } from 'vitest';
import { addressProblem, hostProblem } from '../../core/model/receiver-address.ts';

const may = (address: string, allowPrivate = false): boolean =>
  addressProblem(address, allowPrivate) === null;

test.each(['93.184.215.14', '1.1.1.1', '223.255.255.254', '2606:4700::1111', '2a00:1450:4001::200e'])(
  '%s is public',
  (address) => {
    expect(may(address)).toBe(true);
    expect(may(address, true)).toBe(true);
  },
);

test.each([
  '127.0.0.1',
  '127.255.255.254',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '::1',
  'fd12:3456::1',
  '::ffff:10.0.0.1',
  '::ffff:7f00:1',
  '[::1]',
])('%s is private, and may be allowed', (address) => {
  expect(may(address)).toBe(false);
  expect(may(address, true)).toBe(true);
});

test.each([
  ['metadata', '169.254.169.254'],
  ['metadata in the clothes of IPv6', '::ffff:169.254.169.254'],
  ['metadata of another cloud', '100.100.100.200'],
  ['metadata over IPv6', 'fd00:ec2::254'],
  ['link-local', 'fe80::1'],
  ['link-local with a zone', 'fe80::1%eth0'],
  ['site-local', 'fec0::1'],
  ['unspecified', '0.0.0.0'],
  ['unspecified', '::'],
  ['broadcast', '255.255.255.255'],
  ['multicast', '224.0.0.1'],
  ['multicast', 'ff02::1'],
  ['reserved', '240.0.0.1'],
  ['for documentation', '203.0.113.9'],
  ['for documentation', '2001:db8::1'],
  ['for benchmarks', '198.18.0.1'],
  ['NAT64', '64:ff9b::7f00:1'],
  ['NAT64 of a network of its own', '64:ff9b:1::a00:1'],
  ['6to4', '2002:7f00:1::'],
  ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['IPv4-compatible', '::7f00:1'],
  ['discard', '100::1'],
])('%s, %s: never', (_what, address) => {
  expect(may(address)).toBe(false);
  expect(may(address, true)).toBe(false);
});

test('what is no address is not sent to', () => {
  expect(may('localhost', true)).toBe(false);
  expect(may('', true)).toBe(false);
});

test('a name is known once it is resolved, but for those of this machine', () => {
  expect(hostProblem('hooks.example', false)).toBeNull();
  expect(hostProblem('localhost', false)).toBe('localhost is this machine');
  expect(hostProblem('api.LOCALHOST.', false)).toBe('api.LOCALHOST. is this machine');
  expect(hostProblem('localhost', true)).toBeNull();
  expect(hostProblem('[::1]', false)).toContain('not a public address');
});
