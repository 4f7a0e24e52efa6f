// What an agent may not do to itself, whatever it was told. Each refusal says why, since the model reads it.

import { lookup } from 'node:dns/promises';
import { realpathSync } from 'node:fs';
import { dirname, relative, sep } from 'node:path';
import { isInside } from '../manifest/is-inside.ts';
import { triggerFromManifest } from '../manifest/trigger-schema.ts';
import type { HttpServer, OpenPlan, ToolServer } from '../model/agent-plan.ts';
import { AppError, messageOf } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import { addressProblem, hostProblem } from '../model/receiver-address.ts';
import type { TriggerConfig } from '../model/trigger-config.ts';
import { checkTrigger } from './trigger-list.ts';

/** Its model gets to read this; nothing was changed. */
export function refused(what: string, why: string): AppError {
  return new AppError(`self.${what}`, why);
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);
const SECOND = /^\d{1,2}$/;

/**
 * A trigger in a manifest's words, as a journal keeps it, and what it is.
 * @param workspace absolute
 * @throws `self.*`, `trigger.*`
 */
export function guardedTrigger(
  config: JsonObject,
  workspace: string,
): { readonly trigger: TriggerConfig; readonly kept: JsonObject } {
  if (config['hmac_secret'] !== undefined && config['hmac_secret'] !== null) {
    throw refused(
      'no-secret',
      'An agent can not name a secret for a trigger. Add a webhook without hmac_secret, or ask an operator for one with it.',
    );
  }
  const trigger = triggerFromManifest(config, workspace);
  checkTrigger(trigger);
  switch (trigger.type) {
    case 'manual':
      throw refused(
        'no-trigger',
        'A process can be woken by hand without a trigger for it. Add one of another type.',
      );
    case 'cron':
      refuseOften(trigger.cronExpression);
      break;
    case 'webhook':
      if (LOOPBACK.has(trigger.host)) break;
      throw refused(
        'not-loopback',
        `An agent can open a port to this machine alone, and ${trigger.host} is more than that. Leave webhook_host out, or ask an operator.`,
      );
    case 'file_watch':
      refuseOutside(trigger.path, workspace);
      break;
    case 'event':
    case 'message':
      break;
  }
  // A journal may be taken elsewhere, so what it says is not relative to where it was.
  return { trigger, kept: trigger.type === 'file_watch' ? { ...config, watch_path: trigger.path } : config };
}

/** Five fields are never due more often than that; the sixth are the seconds. */
function refuseOften(expression: string): void {
  const seconds = expression.trim().split(/\s+/)[5] ?? '0';
  if (SECOND.test(seconds)) return;
  throw refused(
    'too-often',
    `An agent can have itself woken once in a minute at most, and the seconds of this schedule are ${seconds}. Leave the sixth field out.`,
  );
}

/** Also by no link that leads out of it; and not into what is written while it runs. */
function refuseOutside(path: string, workspace: string): void {
  const [root, real] = [realPath(workspace), realPath(path)];
  // On a disk that knows no case it goes by any.
  const hidden = relative(root, real)
    .split(sep)
    .some((part) => part.toLowerCase().startsWith('.holdfast'));
  if (isInside(root, real) && !hidden) return;
  throw refused(
    'outside',
    hidden
      ? `${path} is where the journal of this workspace is written, so watching it would wake the agent by its own waking. Watch another folder.`
      : `An agent can watch folders inside its workspace alone, and ${path} lies outside of it.`,
  );
}

/** Of what is not there yet, that of the first folder above it that is. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const above = dirname(path);
    if (above === path) throw error;
    return realPath(above) + path.slice(above.length);
  }
}

const MAX_URL = 2_000;
/** What a server that an agent connected may take and give, at the most. */
const TIMEOUT_MS = 60_000;
const MAX_RESULT_BYTES = 256 * 1024;

/**
 * A server of tools at this address, believed in nothing [S32]. No header goes along, so no secret does.
 * @throws `self.*`
 */
export async function guardedServer(
  address: string,
  transport: HttpServer['transport'],
  { allowedUrls }: Pick<OpenPlan, 'allowedUrls'>,
): Promise<ToolServer> {
  const url = parsedUrl(address);
  const isAllowed = isNamed(url.href, allowedUrls);
  if (allowedUrls.length > 0 && !isAllowed) {
    throw refused(
      'not-allowed-url',
      `${url.origin} is not among the addresses that the manifest allows: ${allowedUrls.join(', ')}.`,
    );
  }
  // What the manifest names may be at home; where a cloud keeps its secrets nothing is ever asked.
  const problem = hostProblem(url.hostname, isAllowed) ?? (await resolvedProblem(url.hostname, isAllowed));
  if (problem !== null) {
    throw refused(
      'private-address',
      `Nothing is connected at ${url.origin}: ${problem}. An operator can allow it in the manifest, by its address.`,
    );
  }
  return {
    kind: 'http',
    url: url.href,
    transport,
    headers: {},
    isTrusted: false,
    roots: [],
    timeoutMs: TIMEOUT_MS,
    maxResultBytes: MAX_RESULT_BYTES,
  };
}

function parsedUrl(address: string): URL {
  const url = address.length <= MAX_URL && URL.canParse(address) ? new URL(address) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw refused(
      'no-url',
      `${address.slice(0, 100)} is no address of a server. Give one that begins with https:// or http://; commands are not started for an agent.`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw refused(
      'no-secret',
      'An address with a name or a password in it is refused, since it would be kept.',
    );
  }
  url.hash = '';
  return url;
}

/** Whether the manifest allows this address by naming it or one above it. */
export function isNamed(address: string, allowedUrls: readonly string[]): boolean {
  return URL.canParse(address) && allowedUrls.some((allowed) => isBelow(new URL(address), allowed));
}

/** The same origin, and the same path or one below it. */
function isBelow(url: URL, allowed: string): boolean {
  if (!URL.canParse(allowed)) return false;
  const { origin, pathname } = new URL(allowed);
  const base = pathname.endsWith('/') ? pathname : `${pathname}/`;
  return url.origin === origin && (url.pathname === pathname || url.pathname.startsWith(base));
}

async function resolvedProblem(hostname: string, allowPrivate: boolean): Promise<string | null> {
  const plain = hostname.replaceAll(/^\[|\]$/g, '');
  try {
    const found = await lookup(plain, { all: true });
    const problems = found.map(({ address }) => addressProblem(address, allowPrivate));
    return problems.find((problem) => problem !== null) ?? null;
  } catch (error) {
    return `nobody knows where ${plain} is (${messageOf(error)})`;
  }
}
