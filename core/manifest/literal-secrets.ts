// What looks like a secret in the arguments and the address of a server, where it would be written into journals with the
// agent's plan. A guess, for a warning: what is none is only warned about, and what nobody could tell is not found.

import { looksSecret, namesIn } from './expand-variables.ts';

/** Of words in a name that mean where a secret lies, or how long it is good, and not the secret. */
const ABOUT =
  /(?:^|[-_])(?:file|path|dir|directory|env|name|var|variable|url|uri|type|id|ttl|expiry|length|limit)$/i;
/** As they are given out by those whose they are. */
const KNOWN =
  /(?:^|[^A-Za-z0-9])(?:sk-[\w-]{16,}|(?:gh[pousr]|glpat|xox[abprs]|npm|hf|pat)[_-][\w-]{16,}|github_pat_\w{20,}|A(?:KIA|SIA)[A-Z0-9]{16}|AIza[\w-]{30,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,})/;
const USERINFO = /\b[a-z][a-z0-9+.-]*:\/\/[^\s/?#:@]*:([^\s/?#@]+)@/i;
const SCHEME = /\b(?:bearer|basic)\s+\S{8,}/i;
const FLAG = /^--?([A-Za-z][\w.-]*)(?:=(.*))?$/s;
const ASSIGNED = /^([A-Za-z_][\w-]*)[=:]\s*(.+)$/s;
const PLACE = /^(?:~|\.{0,2})[/\\]|^[A-Za-z]:[/\\]/;

/** Which of the arguments hold one, by their numbers. */
export function secretArguments(args: readonly string[]): readonly number[] {
  return args.flatMap((arg, at) => {
    const flag = at === 0 ? null : FLAG.exec(args[at - 1]!);
    const isNamed = flag !== null && flag[2] === undefined && !arg.startsWith('-') && isSecret(flag[1]!, arg);
    return isNamed || holdsSecret(arg) ? [at] : [];
  });
}

function holdsSecret(arg: string): boolean {
  const [, name, value = ''] = FLAG.exec(arg) ?? ASSIGNED.exec(arg) ?? [];
  return (name !== undefined && isSecret(name, value)) || looksLikeSecret(arg);
}

/** A text of any kind: a known kind of token, or a password in an address. */
export function looksLikeSecret(text: string): boolean {
  const [, password = ''] = USERINFO.exec(text) ?? [];
  return (
    (password !== '' && isLiteral(password)) || (isLiteral(text) && (KNOWN.test(text) || SCHEME.test(text)))
  );
}

function isSecret(name: string, value: string): boolean {
  return looksSecret(name) && !ABOUT.test(name) && value !== '' && isLiteral(value) && !PLACE.test(value);
}

function isLiteral(text: string): boolean {
  return namesIn(text).length === 0;
}
