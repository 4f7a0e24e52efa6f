import { describe, expect, it } from 'vitest';
import { allowSources, plainAddress, refusePage } from '../../core/triggers/webhook-sources.ts';

describe('who may call a webhook', () => {
  it('is anybody where nobody is named', () => {
    expect(allowSources([])('203.0.113.7')).toBe(true);
    expect(allowSources([])(null)).toBe(true);
  });

  it.each([
    [
      '203.0.113.7',
      ['203.0.113.7', '::ffff:203.0.113.7', '::ffff:cb00:7107'],
      ['203.0.113.8', '::cb00:7107'],
    ],
    ['10.1.2.3/8', ['10.255.0.1', '::ffff:10.0.0.1'], ['11.0.0.1', '::a00:1']],
    ['0.0.0.0/0', ['1.2.3.4', '::ffff:1.2.3.4'], ['2001:db8::1']],
    ['2001:DB8::/32', ['2001:db8:ffff::1', '2001:0db8::0001'], ['2001:db9::1', '32.1.13.184']],
    ['fe80::/10', ['fe80::1%eth0', 'fe80::1'], ['fec0::1']],
    ['::1', ['::1', '0:0:0:0:0:0:0:1'], ['::2', '127.0.0.1']],
    ['::ffff:10.0.0.0/104', ['10.9.9.9', '::ffff:10.1.1.1'], ['11.0.0.1']],
    ['::ffff:192.0.2.1', ['192.0.2.1'], ['192.0.2.2']],
    ['::/0', ['2001:db8::1', '::1'], ['10.0.0.1']],
    [' 192.0.2.0/31 ', ['192.0.2.0', '192.0.2.1'], ['192.0.2.2']],
  ])('%s lets in %j and not %j', (entry, allowed, refused) => {
    const allows = allowSources([entry]);
    expect(allowed.filter((address) => !allows(address))).toEqual([]);
    expect(refused.filter((address) => allows(address))).toEqual([]);
  });

  it('is not whoever has no address, or none that can be read', () => {
    const allows = allowSources(['0.0.0.0/0', '::/0']);
    expect([null, '', 'localhost', '1.2.3', '/run/a.sock'].filter((address) => allows(address))).toEqual([]);
  });

  it.each([
    '',
    ' ',
    'example.com',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/0x8',
    '010.0.0.1',
    '10.0.0',
    '2001:db8::/129',
    'fe80::1%eth0',
    '[::1]',
    '*',
  ])('can not be written as %j', (entry) => {
    expect(() => allowSources(['127.0.0.1', entry])).toThrow(
      expect.objectContaining({ code: 'trigger.bad-source', detail: { entry } }),
    );
  });

  it('is told as a person would write it', () => {
    expect(plainAddress('::ffff:0102:0304')).toEqual({ address: '1.2.3.4', family: 'ipv4' });
    expect(plainAddress('2001:DB8:0::1')).toEqual({ address: '2001:db8::1', family: 'ipv6' });
    expect(plainAddress('fe80::1%3')).toEqual({ address: 'fe80::1', family: 'ipv6' });
    expect(plainAddress('nowhere')).toBeNull();
  });
});

describe('a page in a browser on this machine', () => {
  it('is refused across sites, and under a name that leads here', () => {
    expect(refusePage('127.0.0.1:9090', null)).toBeNull();
    expect(refusePage('localhost', 'http://localhost:3000')).toBeNull();
    expect(refusePage('[::1]:9090', 'https://[::1]')).toBeNull();
    expect(refusePage('127.0.0.1', 'https://evil.example')).toBe(403);
    expect(refusePage('127.0.0.1', 'http://localhost.evil.example')).toBe(403);
    expect(refusePage('127.0.0.1', 'null')).toBe(403);
    expect(refusePage('127.0.0.1', '')).toBe(403);
    expect(refusePage('evil.example:9090', null)).toBe(421);
    expect(refusePage('127.0.0.1.evil.example', null)).toBe(421);
    expect(refusePage(null, null)).toBe(421);
  });
});
