// Issues and comments by a mark in their text, against a server that speaks GitHub's REST API.

import { expect, onTestFinished, test } from 'vitest';
import { githubComment, githubIssue } from '../../core/agent/reconcilers/github-issue.ts';
import { tokenOf } from '../../core/agent/reconcilers/reconciled-effect.ts';
import { byHand, failureOf, KEY } from '../support/by-hand.ts';
import { GITHUB_TOKEN } from '../support/providers/github-api.ts';
import { startProviders, type Providers } from '../support/providers/provider-server.ts';
import { waitFor } from '../support/wait-for.ts';

const ISSUES = '/repos/acme/shop/issues';
const COMMENTS = `${ISSUES}/7/comments`;
const MARK = `<!-- ${tokenOf(KEY)} -->`;

async function providersFor(): Promise<Providers> {
  const providers = await startProviders();
  onTestFinished(() => providers[Symbol.asyncDispose]());
  return providers;
}

function common({ url }: Providers) {
  return {
    api: url,
    repository: 'acme/shop',
    token: () => GITHUB_TOKEN,
    body: 'It is late.',
    graceMs: 2_000,
    timeoutMs: 5_000,
  };
}
const issue = (providers: Providers, more = {}) =>
  byHand(githubIssue({ ...common(providers), title: 'late', labels: ['bug'], ...more }));
const comment = (providers: Providers, more = {}) =>
  byHand(githubComment({ ...common(providers), issue: 7, ...more }));

test('an issue has its mark at the end, and is found by it', async () => {
  const providers = await providersFor();
  const effect = issue(providers);
  const result = await effect.perform();
  expect(result).toEqual({ number: 1, url: `https://github.example${ISSUES}/1` });
  expect(JSON.parse(providers.requests[0]!.body)).toEqual({
    title: 'late',
    labels: ['bug'],
    body: `It is late.\n\n${MARK}`,
  });
  expect(await effect.ask()).toEqual({ happened: true, result });
});

test('a comment too, on its own issue', async () => {
  const providers = await providersFor();
  const effect = comment(providers);
  providers.github.add(`${ISSUES}/8/comments`, MARK);
  expect(await effect.ask()).toEqual({ happened: false });
  const result = await effect.perform();
  expect(await effect.ask()).toEqual({ happened: true, result });
});

test('what another effect has made is not taken for one’s own, and is found by that one', async () => {
  const providers = await providersFor();
  const options = { ...common(providers), title: 'late' };
  const [other, own] = ['key 1', 'key 2'].map((key) => byHand(githubIssue(options), key));
  const result = await other!.perform();
  // Quoted, it has no mark of one’s own either.
  providers.github.add(ISSUES, `> It is late.\n\nthe same as <!-- ${tokenOf('key 1')} -->`);
  expect(await own!.ask()).toEqual({ happened: false });
  const second = await own!.perform();
  expect(await own!.ask()).toEqual({ happened: true, result: second });
  expect(await other!.ask()).toEqual({ happened: true, result });
});

test('it is looked for on every page, and no further than asked; of what was changed long before, nothing is read', async () => {
  const providers = await providersFor();
  providers.github.maxPerPage = 2;
  for (let n = 0; n < 10; n += 1) providers.github.add(ISSUES, `old ${n}`, '2020-01-05T09:00:00.000Z');
  for (let n = 0; n < 5; n += 1) providers.github.add(ISSUES, `another ${n}`);
  const effect = issue(providers);
  const result = await effect.perform();
  providers.requests.length = 0;
  expect(await effect.ask()).toEqual({ happened: true, result });
  expect(providers.requests).toHaveLength(3);
  const bounded = await issue(providers, { maxPages: 2 }).ask();
  expect(bounded).toMatchObject({ happened: 'unknown', why: expect.stringContaining('first 2 pages') });
  expect(bounded).not.toHaveProperty('retryAfterMs');
});

test('[S30] a server that makes it after its client has died: not yet, and then it happened', async () => {
  const providers = await providersFor();
  const made = Promise.withResolvers<void>();
  providers.manner = ({ method }) => (method === 'POST' ? { until: made.promise } : {});
  const effect = comment(providers, { graceMs: 30_000 });
  const death = new AbortController();
  const failed = failureOf(effect.perform(death.signal));
  await waitFor(() => providers.requests.length > 0, { what: 'the request' });
  death.abort();
  expect(await failed).not.toMatchObject({ code: 'effect.did-not-happen' });
  expect(await effect.ask(0)).toMatchObject({ happened: 'unknown', retryAfterMs: expect.any(Number) });
  made.resolve();
  expect(await effect.settle()).toMatchObject({ happened: true });
  expect(providers.github.listOf(COMMENTS)).toHaveLength(1);
});

test('made and answered with 502, or cut: in doubt, and found', async () => {
  const providers = await providersFor();
  const manners = [{ answer: { status: 502, body: {} } }, { isCut: true }];
  providers.manner = ({ method }) => (method === 'POST' ? manners.shift()! : {});
  for (const effect of [issue(providers), comment(providers)]) {
    expect(await failureOf(effect.perform())).not.toMatchObject({ code: 'effect.did-not-happen' });
    expect(await effect.settle()).toMatchObject({ happened: true });
  }
});

const inAMinute = () => String(Math.ceil(Date.now() / 1_000) + 60);

test.each([
  ['a secondary rate limit', 403, () => ({ 'retry-after': '0' })],
  ['a spent rate limit', 403, () => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '0' })],
  ['too many requests', 429, () => ({ 'retry-after': '0' })],
])(
  '[S28] %s: it did not happen and is tried again; a question is asked again',
  async (_, status, headers) => {
    const providers = await providersFor();
    providers.manner = () => ({ refuse: { status, body: { message: 'rate limit' }, headers: headers() } });
    const effect = issue(providers);
    expect(await failureOf(effect.perform())).toMatchObject({
      code: 'effect.did-not-happen',
      retryable: true,
    });
    expect(await effect.ask()).toMatchObject({ happened: 'unknown', retryAfterMs: 0 });
  },
);

test('a rate limit is waited for until its reset', async () => {
  const providers = await providersFor();
  providers.manner = () => {
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inAMinute() };
    return { refuse: { status: 403, body: {}, headers } };
  };
  const answer = await issue(providers).ask();
  expect(answer).toMatchObject({ happened: 'unknown' });
  const after = 'retryAfterMs' in answer ? answer.retryAfterMs : 0;
  expect(after).toBeGreaterThan(30_000);
  expect(after).toBeLessThanOrEqual(61_000);
});

test('without the right to look nobody can tell, and asking again does not help', async () => {
  const providers = await providersFor();
  const effect = issue(providers, { token: () => 'wrong' });
  expect(await failureOf(effect.perform())).toMatchObject({
    code: 'effect.did-not-happen',
    retryable: false,
  });
  const answer = await effect.ask();
  expect(answer).toMatchObject({ happened: 'unknown', why: expect.stringContaining('401') });
  expect(answer).not.toHaveProperty('retryAfterMs');
});
