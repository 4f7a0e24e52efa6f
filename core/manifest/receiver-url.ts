// An address on the web that something is sent to, as somebody wrote it.

import { hostProblem } from '../model/receiver-address.ts';

/** What is wrong with it; null where nothing is. Whether a name leads to where nothing is sent is known once it is resolved. */
export function receiverProblem(text: string, allowPrivate: boolean): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    return 'it must be an address on the web, which begins with https:// or http://';
  }
  if (url.username !== '' || url.password !== '') {
    return 'a name and a password in it are not sent: leave them out';
  }
  const problem = hostProblem(url.hostname, allowPrivate);
  if (problem === null) return null;
  const isNever = hostProblem(url.hostname, true) !== null;
  return isNever
    ? `${problem}: nothing is ever sent there`
    : `${problem}: nothing is sent there unless private addresses are allowed`;
}
