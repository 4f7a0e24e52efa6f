// Asks the host that runs a journal, as a console would: over its socket, with the same requests.

import { InvalidArgumentError } from 'commander';
import { REQUESTS, type RequestName } from '../contract/requests.ts';
import type { ReachedHost } from '../host/seek-host.ts';
import { AppError } from '../model/errors.ts';
import type { Asked, Given, HostVerb } from './host-verb.ts';
import { outcomeLine, reasonIn, reasonOf, type Outcome } from './host-verbs.ts';
import { print, printJson } from './output.ts';
import { placeOf, reachHost } from './reach.ts';

/** Stopping waits for a worker's end, and a journal for its disk. */
const ANSWER_WITHIN_MS = 120_000;
/** The host may have acted, and nobody heard of it. */
const UNKNOWN_ENDS: ReadonlySet<string> = new Set(['host.gone', 'host.silent']);

/** Carries a verb out. @throws InvalidArgumentError, what {@link reachHost} throws, and what the host refuses */
export async function operate(row: HostVerb, asked: Asked): Promise<void> {
  const { directory, words, given } = asked;
  const instead =
    given['plan'] === true ? row.plan : row.look?.isMeant(given) === true ? row.look : undefined;
  const verb = instead === undefined ? row : { ...row, ...instead };
  const [word = ''] = verb.usage.split(' ');
  const reason = reasonOf(word, verb.asks, given);
  const [process = ''] = words;
  const whose = 'process' in REQUESTS[verb.asks].request.shape ? { process } : {};
  const request = requestOf(verb.asks, { ...whose, ...verb.more?.(words, given) }, reason);
  // What makes no sense is said before anybody is looked for.
  refuseSenseless(verb.asks, { journalId: 'any', ...request });
  const host = await reachHost(placeOf(directory));
  try {
    const answer = await ask(host, verb.asks, request);
    const further = verb.further?.(answer, asked) ?? null;
    if (further !== null) say(null, await ask(host, further.asks, further.fields), further, given);
    else say(request['process'] === null ? null : process, answer, verb, given);
    const failure = verb.fails?.(answer) ?? null;
    if (failure !== null) throw new AppError('host.partly-done', failure);
  } finally {
    host.connection.close(new AppError('host.closing', 'This command is done.'));
  }
}

function requestOf(name: RequestName, fields: Given, reason: string): Given {
  const isCommand = reasonIn(name) !== 'none';
  return isCommand ? { ...fields, commandId: crypto.randomUUID(), reason } : fields;
}

function refuseSenseless(name: RequestName, request: Given): void {
  const parsed = REQUESTS[name].request.safeParse(request);
  if (parsed.success) return;
  const [issue] = parsed.error.issues;
  throw new InvalidArgumentError(`${issue!.path.join('.') || 'It'}: ${issue!.message}`);
}

/** @throws what the host refuses, by its code */
export async function ask(host: ReachedHost, name: RequestName, fields: Given): Promise<unknown> {
  const request = { journalId: host.journal.id, ...fields };
  const result = await host.connection.forward(name, request, ANSWER_WITHIN_MS);
  if (result.ok) return result.value;
  const { code, message } = result.error;
  const unknown = UNKNOWN_ENDS.has(code) ? ' Whether it was done is in the journal: look there first.' : '';
  throw new AppError(code, `${message}${unknown}`);
}

function say(
  process: string | null,
  answer: unknown,
  { says, picks }: Pick<HostVerb, 'says' | 'picks'>,
  given: Given,
): void {
  const isJson = given['json'] === true;
  if (says === undefined) sayOutcome(process, answer as Outcome, isJson);
  else if (isJson) printJson((picks?.(answer) ?? answer) as object);
  else for (const line of says(answer)) print(line);
}

export function sayOutcome(process: string | null, outcome: Outcome, isJson: boolean): void {
  if (isJson) printJson({ process, ...outcome });
  else print(outcomeLine(outcome));
}
