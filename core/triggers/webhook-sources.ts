// Who may call a webhook: the address of the other end of the connection, and for what any page in a browser could
// reach, what the browser says of the page.

import { BlockList, isIP, isIPv4, isIPv6, SocketAddress } from 'node:net';
import { AppError } from '../model/errors.ts';

/** Null is an address that is not known. */
export type SourceCheck = (address: string | null) => boolean;

interface PlainAddress {
  readonly address: string;
  readonly family: 'ipv4' | 'ipv6';
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const MAPPED_BITS = 96;

/**
 * Addresses and CIDR ranges, IPv4 and IPv6; without any, everybody may. An IPv4 address is the same one when it comes
 * mapped into IPv6, as it does where a server listens to both.
 * @throws `trigger.bad-source`
 */
export function allowSources(entries: readonly string[]): SourceCheck {
  if (entries.length === 0) return () => true;
  // One for each family: a list takes an IPv4 address for one inside of an IPv6 range that is wide enough.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const entry of entries) add(lists, entry);
  return (address) => {
    const plain = address === null ? null : plainAddress(address);
    return plain !== null && lists[plain.family].check(plain.address, plain.family);
  };
}

function add(lists: Readonly<Record<PlainAddress['family'], BlockList>>, entry: string): void {
  const [, host = '', bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(entry.trim()) ?? [];
  const plain = host.includes('%') ? null : plainAddress(host);
  if (plain === null) throw badSource(entry);
  const written = isIPv4(host) ? 32 : 128;
  const given = bits === undefined ? written : Number(bits);
  // A range of mapped addresses is a range of IPv4; one that is wider is one of IPv6, and holds no IPv4.
  const isMapped = written === 128 && plain.family === 'ipv4' && given >= MAPPED_BITS;
  if (given > written) throw badSource(entry);
  if (isMapped) lists.ipv4.addSubnet(plain.address, given - MAPPED_BITS, 'ipv4');
  else if (written === 32) lists.ipv4.addSubnet(host, given, 'ipv4');
  else lists.ipv6.addSubnet(host, given, 'ipv6');
}

function badSource(entry: string): AppError {
  return new AppError(
    'trigger.bad-source',
    `"${entry}" is neither an IP address nor a range of them. Write 203.0.113.7, 10.0.0.0/8 or 2001:db8::/32.`,
    { entry },
  );
}

/** As a person would write it: mapped addresses as IPv4, without a zone. Null for what is no address. */
export function plainAddress(address: string): PlainAddress | null {
  const text = address.replace(/%.*$/, '');
  if (isIPv4(text)) return { address: text, family: 'ipv4' };
  if (!isIPv6(text)) return null;
  const canonical = new SocketAddress({ address: text, family: 'ipv6' }).address;
  const mapped = MAPPED.exec(canonical)?.[1];
  return mapped === undefined ? { address: canonical, family: 'ipv6' } : { address: mapped, family: 'ipv4' };
}

export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (name === 'localhost') return true;
  const plain = isIP(name) === 0 ? null : plainAddress(name);
  return (
    plain !== null && (plain.family === 'ipv4' ? plain.address.startsWith('127.') : plain.address === '::1')
  );
}

/**
 * What is listened to on this machine alone and asks for no signature can still be called by any page that is open in a
 * browser here: across sites, or under a name of the page's own that leads to this machine. The status to refuse it
 * with; null for what no such page can send.
 */
export function refusePage(host: string | null, origin: string | null): 403 | 421 | null {
  const [, name = ''] = /^(\[[^\]]*\]|[^:]*)(?::\d+)?$/.exec(host?.trim() ?? '') ?? [];
  if (!isLoopback(name)) return 421;
  if (origin === null) return null;
  const [, from = ''] = /^https?:\/\/(\[[^\]]*\]|[^:/]*)(?::\d+)?$/i.exec(origin) ?? [];
  return isLoopback(from) ? null : 403;
}
