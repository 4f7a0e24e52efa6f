// An issue or a comment on GitHub, with a mark in its text by which it is found again.

import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { ReconcileCall, Reconciled } from '../define-agent.ts';
import { askHttp, doneBy, saysNothing } from './ask-http.ts';
import {
  beforehand,
  notThere,
  reconciledEffect,
  tokenOf,
  type ReconciledEffect,
  type ReconcilerOptions,
  type SecretSource,
} from './reconciled-effect.ts';

export interface GithubOptions extends ReconcilerOptions {
  /** `https://api.github.com` unless given. */
  readonly api?: string;
  /** `owner/name` */
  readonly repository: string;
  readonly token: SecretSource;
  readonly body: string;
  /** How long a request may take to be there although its sender is gone; 30 s unless given. GitHub ends one after 10. */
  readonly graceMs?: number;
  /** Pages of 100 that are looked through; 20 unless given. */
  readonly maxPages?: number;
}

export interface GithubIssueOptions extends GithubOptions {
  readonly title: string;
  readonly labels?: readonly string[];
}

export interface GithubCommentOptions extends GithubOptions {
  /** Of the issue or the pull request. */
  readonly issue: number;
}

export type GithubIssue = { readonly number: number; readonly url: string };
export type GithubComment = { readonly id: number; readonly url: string };
export type GithubArgs = { readonly path: string; readonly body: string; readonly more: JsonObject };

const DEFAULT_API = 'https://api.github.com';
const DEFAULT_GRACE_MS = 30_000;
const DEFAULT_MAX_PAGES = 20;
const PER_PAGE = 100;
/** So far their clock and ours may be apart. */
const SKEW_MS = 60 * 60 * 1000;

/**
 * Opens an issue, once. At the end of its text is a comment of HTML, `<!-- hf-… -->`, with 40 hexadecimal digits of the SHA-256
 * of its key; nobody sees it.
 *
 * In doubt, the list of issues is read, from an hour before it was announced on (search is behind, lists are not): it happened
 * where one has the mark. Rate limits, 5xx and no answer are *unknown yet*. Where none has it, it did not happen once nothing has
 * been sent for `graceMs`. More than `maxPages` ask an operator. One that somebody deletes, moves or takes the mark out of
 * meanwhile is taken for one that was never there.
 */
export function githubIssue(options: GithubIssueOptions): ReconciledEffect<GithubIssue, GithubArgs> {
  const { title, labels = [], repository } = options;
  return marked(options, {
    path: `/repos/${repository}/issues`,
    more: { title, ...(labels.length === 0 ? {} : { labels }) },
    list: '&state=all&sort=created&direction=asc',
    result: (item) => ({ number: numberAt(item, 'number'), url: urlOf(item) }),
  });
}

/** The same with a comment on an issue or a pull request. */
export function githubComment(options: GithubCommentOptions): ReconciledEffect<GithubComment, GithubArgs> {
  const { issue, repository } = options;
  return marked(options, {
    path: `/repos/${repository}/issues/${issue}/comments`,
    more: {},
    list: '',
    result: (item) => ({ id: numberAt(item, 'id'), url: urlOf(item) }),
  });
}

interface Marked<T extends Json> {
  readonly path: string;
  /** What is sent beside the body. */
  readonly more: JsonObject;
  /** Oldest first: what comes meanwhile is behind what was read. */
  readonly list: string;
  readonly result: (item: JsonObject) => T;
}

function marked<T extends Json>(
  options: GithubOptions,
  { path, more, list, result }: Marked<T>,
): ReconciledEffect<T, GithubArgs> {
  const { api = DEFAULT_API, token, graceMs = DEFAULT_GRACE_MS, maxPages = DEFAULT_MAX_PAGES } = options;
  const headers = async (): Promise<Record<string, string>> => ({
    accept: 'application/vnd.github+json',
    'user-agent': 'holdfast',
    'x-github-api-version': '2022-11-28',
    authorization: `Bearer ${await token()}`,
  });

  const look = async (call: ReconcileCall<GithubArgs>): Promise<Reconciled<T>> => {
    const mark = markOf(call.key);
    const since = new Date(call.announcedAt - SKEW_MS).toISOString().replace(/\.\d+Z$/, 'Z');
    for (let page = 1; page <= maxPages; page += 1) {
      const url = `${api}${path}?per_page=${PER_PAGE}&page=${page}&since=${since}${list}`;
      const answer = await askHttp({ url, method: 'GET', headers: await headers(), signal: call.signal });
      const nothing = saysNothing(answer, call);
      if (nothing !== null) return nothing;
      if (!Array.isArray(answer.body)) return { happened: 'unknown', why: `${path} is no list` };
      const items = answer.body.filter(isObject);
      const found = items.find((item) => typeof item['body'] === 'string' && item['body'].includes(mark));
      if (found !== undefined) return { happened: true, result: result(found) };
      if (!/\brel="?next"?/.test(answer.headers.get('link') ?? '')) return notThere(call, graceMs);
    }
    const why = `it is on none of the first ${maxPages} pages of what was changed since ${since}`;
    return { happened: 'unknown', why };
  };

  return reconciledEffect<T, GithubArgs>(options, {
    args: { path, body: options.body, more },
    perform: async ({ args, key, signal }, timeoutMs) => {
      const body = `${args.body}\n\n${markOf(key)}`;
      const answer = await askHttp({
        url: `${api}${args.path}`,
        method: 'POST',
        headers: { ...(await beforehand(headers)), 'content-type': 'application/json' },
        body: JSON.stringify({ ...args.more, body }),
        signal,
      });
      const done = await doneBy(answer, timeoutMs);
      if (!isObject(done)) throw new Error('the answer has nothing of what was made');
      return result(done);
    },
    reconcile: look,
  });
}

function markOf(key: string): string {
  return `<!-- ${tokenOf(key)} -->`;
}

function numberAt(item: JsonObject, name: string): number {
  const value = item[name];
  if (typeof value === 'number') return value;
  throw new Error(`the answer has no ${name}`);
}

function urlOf(item: JsonObject): string {
  const url = item['html_url'];
  return typeof url === 'string' ? url : '';
}
