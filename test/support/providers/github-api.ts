// GitHub's REST API, as far as issues and comments go: listed in pages with a Link header, oldest first, `since` their change.

import type { ProviderAnswer, ProviderApi, ProviderRequest } from './provider-server.ts';

interface Item {
  readonly id: number;
  readonly number: number;
  readonly body: string;
  readonly html_url: string;
  readonly updated_at: string;
}

export const GITHUB_TOKEN = 'ghp_not-for-the-journal';

export interface GithubApi extends ProviderApi {
  readonly listOf: (path: string) => readonly Item[];
  readonly add: (path: string, body: string, updatedAt?: string) => Item;
  /** Of one page, however many were asked for. */
  maxPerPage: number;
}

export function githubApi(): GithubApi {
  /** By path: of a repository's issues, or of an issue's comments. */
  const lists = new Map<string, Item[]>();
  let count = 0;
  const listOf = (path: string): Item[] => {
    const list = lists.get(path) ?? [];
    lists.set(path, list);
    return list;
  };
  const add = (path: string, body: string, updatedAt = new Date().toISOString()): Item => {
    count += 1;
    const html_url = `https://github.example${path}/${count}`;
    const item: Item = { id: count, number: count, body, html_url, updated_at: updatedAt };
    listOf(path).push(item);
    return item;
  };
  const api: GithubApi = {
    listOf,
    add,
    maxPerPage: 100,
    handle: (request, act) => {
      const { method, url, headers, body } = request;
      if (!/^\/repos\/[^/]+\/[^/]+\/issues(?:\/\d+\/comments)?$/.test(url.pathname)) return null;
      if (headers.authorization !== `Bearer ${GITHUB_TOKEN}`) {
        return Promise.resolve({ status: 401, body: { message: 'Bad credentials' } });
      }
      if (method === 'GET') return Promise.resolve(pageOf(request, listOf(url.pathname), api.maxPerPage));
      const asked = JSON.parse(body) as { readonly body?: unknown };
      if (typeof asked.body !== 'string') {
        return Promise.resolve({ status: 422, body: { message: 'Validation Failed' } });
      }
      const text = asked.body;
      return act(() => ({ status: 201, body: add(url.pathname, text) }));
    },
  };
  return api;
}

function pageOf({ url }: ProviderRequest, items: readonly Item[], maxPerPage: number): ProviderAnswer {
  const { searchParams } = url;
  const page = Number(searchParams.get('page') ?? 1);
  const size = Math.min(maxPerPage, Number(searchParams.get('per_page') ?? 30));
  const since = Date.parse(searchParams.get('since') ?? '1970-01-01T00:00:00Z');
  const listed = items.filter((item) => Date.parse(item.updated_at) >= since);
  const shown = listed.slice((page - 1) * size, page * size);
  const next = new URL(url);
  next.searchParams.set('page', String(page + 1));
  const hasMore = listed.length > page * size;
  return { status: 200, body: shown, headers: hasMore ? { link: `<${next.href}>; rel="next"` } : {} };
}
