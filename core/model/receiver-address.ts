// Which addresses something may be sent to: none that leads back into this machine or its network, unless that is allowed,
// and some of them never.

import ipaddr from 'ipaddr.js';

/** What a manifest or a setting may allow. */
const PRIVATE: ReadonlySet<string> = new Set(['loopback', 'private', 'uniqueLocal', 'carrierGradeNat']);
/** Where machines in a cloud are told their secrets, and that lie among those. */
const METADATA: ReadonlySet<string> = new Set(['fd00:ec2::254', '100.100.100.200']);
/** What is given out to the public of IPv6: whatever lies outside is something else, named or not. */
const PUBLIC_V6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/** Why nothing is sent there; null where it may be. `address` as a resolver gives it, or as it stands in a URL. */
export function addressProblem(address: string, allowPrivate: boolean): string | null {
  const plain = address.replaceAll(/^\[|\]$/g, '');
  if (!ipaddr.isValid(plain)) return `${plain} is no address`;
  // An IPv4 address in the clothes of IPv6 is the same address.
  const parsed = ipaddr.process(plain);
  const range = parsed.range();
  const shown = parsed.toString();
  if (METADATA.has(shown)) return `${shown} is where a cloud keeps its secrets`;
  if (PRIVATE.has(range)) {
    return allowPrivate ? null : `${shown} is not a public address (${words(range)})`;
  }
  const isPublic = parsed instanceof ipaddr.IPv6 ? parsed.match(PUBLIC_V6) : true;
  return range === 'unicast' && isPublic ? null : `${shown} is not a public address (${words(range)})`;
}

function words(range: string): string {
  return range.replaceAll(/([a-z])([A-Z0-9])/g, '$1 $2').toLowerCase();
}

/** The same of a URL that has an address, or a name of this machine, in it; any other name has to be resolved first. */
export function hostProblem(hostname: string, allowPrivate: boolean): string | null {
  const plain = hostname.replaceAll(/^\[|\]$/g, '');
  if (ipaddr.isValid(plain)) return addressProblem(plain, allowPrivate);
  const isLocal = /(^|\.)localhost\.?$/i.test(plain);
  return isLocal && !allowPrivate ? `${plain} is this machine` : null;
}
