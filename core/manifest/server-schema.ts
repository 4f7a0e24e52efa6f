// What a manifest says of servers of tools: Promptise's keys, one that is started or one on the web; under
// `holdfast.servers` what it has no word for. A credential is named there and never written.

import { z } from 'zod';
import type { ToolServer } from '../model/agent-plan.ts';
import type { SecretSource } from '../model/secrets.ts';
import { looksSecret, namesIn, secretReferences, withNames, type Environment } from './expand-variables.ts';

const MAX_TEXT = 4_096;
const MAX_SERVERS = 50;
const MAX_SECONDS = 86_400;
/** As much as the result of an effect may have, in KiB. */
const MAX_RESULT_KILOBYTES = 16_384;
const DEFAULT_TIMEOUT = 60;
const DEFAULT_RESULT_KILOBYTES = 1_024;

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const HEADER = /^[\w!#$%&'*+.^`|~-]+$/;
/** Headers that carry a credential, as Promptise tells them. */
const CREDENTIAL_HEADER =
  /authorization|cookie|api[-_]?key|token|secret|password|passwd|session|signature|credential/i;
const TRANSPORTS = ['http', 'streamable-http', 'sse'] as const;

const Text = z.string().max(MAX_TEXT);

export const ServerName = z
  .string()
  .regex(NAME, 'the name of a server has 1 to 64 letters, digits, "_" and "-"');

const StdioServer = z
  .strictObject({
    type: z.literal('stdio', 'a server with a command is of type stdio').nullish(),
    transport: z.literal('stdio', 'a server with a command is of transport stdio').nullish(),
    command: z
      .string('it has a command, which is started, or the url of a server that is there')
      .min(1)
      .max(MAX_TEXT),
    args: z.array(Text).max(200).default([]),
    env: z.record(z.string().regex(VARIABLE, 'no variable can be called so'), Text).default({}),
    cwd: Text.nullish(),
    keep_alive: z.boolean().default(true),
  })
  .superRefine(({ env }, context) => {
    for (const [key, text] of Object.entries(env)) {
      if (looksSecret(key) && isLiteral(text)) refuseLiteral(context, ['env', key], `${key}: \${${key}}`);
    }
  });

const HttpServer = z
  .strictObject({
    type: z.enum(TRANSPORTS).nullish(),
    transport: z.enum(TRANSPORTS).nullish(),
    url: Text.min(1),
    headers: z.record(z.string().regex(HEADER, 'no header can be called so'), Text).default({}),
    bearer_token: Text.min(1).nullish(),
    api_key: Text.min(1).nullish(),
    auth: z.null('nothing was ever sent of it: use bearer_token or api_key').optional(),
    audience: Text.nullish(),
    forward_caller_token: z.boolean().nullish(),
  })
  .superRefine(({ url, headers, bearer_token, api_key }, context) => {
    const refuse = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message });
    const problem = urlProblem(url);
    if (problem !== null) refuse('url', problem);
    for (const [key, text] of Object.entries(headers)) {
      if (CREDENTIAL_HEADER.test(key) && isLiteral(text)) {
        refuseLiteral(
          context,
          ['headers', key],
          `${key}: ${/^authorization$/i.test(key) ? 'Bearer ' : ''}\${NAME}`,
        );
      }
    }
    if (bearer_token != null && isLiteral(bearer_token)) {
      refuseLiteral(context, ['bearer_token'], 'bearer_token: ${NAME}');
    }
    if (api_key != null && isLiteral(api_key)) refuseLiteral(context, ['api_key'], 'api_key: ${NAME}');
    const has = (name: string): boolean => Object.keys(headers).some((key) => key.toLowerCase() === name);
    if (bearer_token != null && has('authorization')) {
      refuse('bearer_token', 'headers have an authorization already: say it in one place');
    }
    if (api_key != null && has('x-api-key')) {
      refuse('api_key', 'headers have an x-api-key already: say it in one place');
    }
  });

/** One of `servers:`. */
export const ManifestServer = z.union([StdioServer, HttpServer]);
type ManifestServer = z.output<typeof ManifestServer>;

export const ManifestServers = z
  .record(ServerName, ManifestServer)
  .refine((servers) => Object.keys(servers).length <= MAX_SERVERS, `at most ${MAX_SERVERS} are used`);

/** One of `holdfast.servers:`. */
export const ServerExtras = z.strictObject({
  trusted: z.boolean().default(false),
  roots: z.array(Text.min(1)).max(100).default([]),
  timeout: z.number().positive().max(MAX_SECONDS, 'a day at most').default(DEFAULT_TIMEOUT),
  max_result_kilobytes: z.number().int().min(1).max(MAX_RESULT_KILOBYTES).default(DEFAULT_RESULT_KILOBYTES),
});
type ServerExtras = z.output<typeof ServerExtras>;

/** A text in which no secret is named holds the value itself; so does a default. */
function isLiteral(text: string): boolean {
  if (text === '') return false;
  return namesIn(text).length === 0 || /:-[^}]/.test(text);
}

function refuseLiteral(context: z.RefinementCtx, path: string[], line: string): void {
  context.addIssue({
    code: 'custom',
    path,
    message: `the value itself stands in the manifest, which is a file that is copied and committed. Write ${line}, which is the secret of that name, or else the variable of the host's environment`,
  });
}

/** Stands for the value of a secret while an address is looked at. */
const VALUE = 'holdfast-secret';

function urlProblem(written: string): string | null {
  const text = written.replaceAll(/\$\{[^}]*\}/g, VALUE);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    return 'it must be an address on the web, which begins with https:// or http://';
  }
  if (url.username !== '' || url.password !== '') {
    return 'a name and a password in it are written into the journal: write an Authorization header, with ${NAME} for the secret';
  }
  if (url.host.includes(VALUE))
    return 'a secret may stand in its path or behind it, and not in the name of its host';
  const [secret] =
    [...url.searchParams].find(([key, value]) => looksSecret(key) && !value.includes(VALUE)) ?? [];
  return secret === undefined
    ? null
    : `${JSON.stringify(secret)} in it is written into the journal: write \${NAME} for the secret, there or in a header`;
}

export interface ServersWritten {
  readonly servers: Readonly<Record<string, ManifestServer>>;
  readonly extras: Readonly<Record<string, ServerExtras>>;
}

export interface ServersFound {
  readonly servers: Readonly<Record<string, ToolServer>>;
  /** The secrets that they name. */
  readonly secrets: readonly string[];
  /** Variables that every shell has but this host: where they are named. */
  readonly unset: readonly { readonly place: readonly string[]; readonly name: string }[];
}

/** `declared`: where the secrets of the manifest come from, by their names. */
export function toolServersOf(
  { servers, extras }: ServersWritten,
  environment: Environment,
  declared: Readonly<Record<string, SecretSource>>,
): ServersFound {
  const secrets = new Set<string>();
  const unset: { place: readonly string[]; name: string }[] = [];
  const isDeclared = (name: string): boolean => Object.hasOwn(declared, name);
  /** A variable that is a secret already goes by its name. */
  const named = (name: string): string => {
    const isOf = ([key, source]: [string, SecretSource]): boolean =>
      source.kind === 'variable' && source.variable === name && VARIABLE.test(key);
    return isDeclared(name) ? name : (Object.entries(declared).find(isOf)?.[0] ?? name);
  };
  const naming = (text: string): string => {
    const whole = withNames(text, named);
    for (const name of namesIn(whole)) secrets.add(name);
    return whole;
  };
  const referring = (
    texts: Readonly<Record<string, string>>,
    place: readonly string[],
  ): Record<string, string> =>
    Object.fromEntries(
      Object.entries(texts).map(([key, text]) => {
        const found = secretReferences(text, environment, isDeclared);
        for (const name of found.unset) unset.push({ place: [...place, key], name });
        return [key, naming(found.text)];
      }),
    );
  const found = Object.entries(servers).map(([name, server]): [string, ToolServer] => {
    const own = (Object.hasOwn(extras, name) ? extras[name] : undefined) ?? ServerExtras.parse({});
    const common = {
      isTrusted: own.trusted,
      roots: own.roots,
      timeoutMs: own.timeout * 1_000,
      maxResultBytes: own.max_result_kilobytes * 1_024,
    };
    if ('command' in server) {
      const env = referring(server.env, ['servers', name, 'env']);
      const args = server.args.map(naming);
      return [name, { kind: 'stdio', command: server.command, args, env, cwd: server.cwd ?? '', ...common }];
    }
    const headers = referring(headersOf(server), ['servers', name, 'headers']);
    const isSse = (server.transport ?? server.type) === 'sse';
    const transport = isSse ? 'sse' : 'streamable-http';
    return [name, { kind: 'http', url: naming(server.url), transport, headers, ...common }];
  });
  return { servers: Object.fromEntries(found), secrets: [...secrets].sort(), unset };
}

function headersOf({
  headers,
  bearer_token: token,
  api_key: key,
}: z.output<typeof HttpServer>): Record<string, string> {
  return {
    ...headers,
    ...(token == null ? {} : { Authorization: `Bearer ${token}` }),
    ...(key == null ? {} : { 'x-api-key': key }),
  };
}
