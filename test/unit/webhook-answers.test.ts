import { Agent } from 'node:http';
import { describe, expect, it } from 'vitest';
import { AppError, RetryableError } from '../../core/model/errors.ts';
import { RawNumber } from '../../core/model/json.ts';
import type { TriggerAnswer } from '../../core/triggers/trigger-sink.ts';
import {
  acceptOnce,
  openWebhook,
  rawConnection,
  SECRET,
  send,
  sendJson,
  signed,
  stripeSigned,
  type Heard,
} from '../support/webhooks.ts';
import { waitFor } from '../support/wait-for.ts';

const status = ({ status }: Heard): number => status;

describe('a webhook answers', () => {
  it('202 only when the sink has accepted, never before [P1] [S29]', async () => {
    const gate = Promise.withResolvers<TriggerAnswer>();
    const { url, calls } = await openWebhook({ sink: () => gate.promise });
    let heard: Heard | null = null;
    const sent = sendJson(url, { n: 1 }).then((answer) => {
      heard = answer;
      return answer;
    });
    await waitFor(() => calls.length === 1);
    // Another request has been answered since, so this one could have been too.
    expect(status(await send(url, { method: 'GET' }))).toBe(405);
    expect(heard).toBeNull();
    gate.resolve({ kind: 'accepted', eventId: 'e-1' });
    const answer = await sent;
    expect(answer).toMatchObject({ status: 202, body: { status: 'accepted', event_id: 'e-1' } });
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('with what Promptise gives: payload and metadata, without a credential', async () => {
    const { url, calls, port } = await openWebhook({ config: { secret: SECRET, path: '/in/büro' } });
    const body = '{"action": "opened", "id": 12345678901234567890}';
    const answer = await send(`${url}?a=1&a=2&b=&access_token=t0p`, {
      body,
      headers: {
        'Content-Type': 'application/json',
        'X-GitHub-Event': 'issues',
        'X-Webhook-Signature': signed(body),
        Authorization: 'Bearer t0p',
        Cookie: 'a=t0p',
        'X-Api-Key': 't0p',
        'X-Gitlab-Token': 't0p',
        'X-CSRF-Token': 't0p',
        'X-Auth': 't0p',
        'Proxy-Authorization': 't0p',
        'X-Hub-Signature': 'sha1=t0p',
        'X-Author': 'Zoe',
        'X-Twice': ['1', '2'],
      },
    });
    expect(answer.status).toBe(202);
    expect(calls).toEqual([
      {
        payload: { action: 'opened', id: new RawNumber('12345678901234567890') },
        metadata: {
          method: 'POST',
          path: '/in/büro',
          query: { a: '1', b: '' },
          headers: {
            'Content-Type': 'application/json',
            'X-GitHub-Event': 'issues',
            'X-Author': 'Zoe',
            'X-Twice': '1, 2',
            Host: `127.0.0.1:${port}`,
            Connection: 'close',
            'Content-Length': String(Buffer.byteLength(body)),
          },
          remote: '127.0.0.1',
          signature_verified: true,
        },
      },
    ]);
    expect(JSON.stringify(calls)).not.toContain('t0p');
  });

  it.each([
    ['application/json', '[1, 2.5, "x"]', [1, 2.5, 'x']],
    ['application/vnd.github+json; charset=utf-8', '{}', {}],
    ['text/plain', '{"a": null}', { a: null }],
    ['text/plain', '{"a": nul', '{"a": nul'],
    ['application/x-www-form-urlencoded', 'payload=%7B%7D', 'payload=%7B%7D'],
    ['text/plain; charset=iso-8859-1', Buffer.from('Zoë', 'latin1'), 'Zoë'],
    ['application/octet-stream', Buffer.from([0x61, 0xff]), 'a\uFFFD'],
    ['', '', ''],
    ['application/json', '{"__proto__": {"x": 1}}', JSON.parse('{"__proto__": {"x": 1}}') as unknown],
    ['application/json', '1e400', new RawNumber('1e400')],
    ['application/json', '{"a": 0.1000000000000000055511151231257827}', { a: 0.1 }],
  ])('%s %j with the payload %j', async (type, body, payload) => {
    const { url, calls } = await openWebhook();
    const headers = type === '' ? {} : { 'content-type': type };
    expect(status(await send(url, { body, headers }))).toBe(202);
    expect(calls[0]?.payload).toEqual(payload);
  });

  it.each([
    ['application/json', '{"a": ', 400, /said to be JSON, and is none/],
    ['application/json', '', 400, /said to be JSON, and is none/],
    ['application/json', Buffer.from([0x22, 0xff, 0x22]), 400, /is not "utf-8"/],
    ['application/json', '['.repeat(20_000) + ']'.repeat(20_000), 400, /nested more than 200/],
    ['text/plain; charset=klingon', 'x', 415, /"klingon" is not known/],
  ])('%s %j with a refusal that says why', async (type, body, expected, why) => {
    const { url, calls } = await openWebhook();
    const answer = await send(url, { body, headers: { 'content-type': type } });
    expect(answer).toMatchObject({ status: expected, body: { status: 'error' } });
    expect(answer.body['message']).toMatch(why);
    expect(calls).toEqual([]);
  });

  it('415 to what is packed', async () => {
    const { url } = await openWebhook();
    const answer = await send(url, { body: 'x', headers: { 'content-encoding': 'gzip' } });
    expect(answer.body['message']).toBe('The body is encoded as "gzip". Send it as it is.');
    expect(answer.status).toBe(415);
  });

  it('200 to what the filter leaves out', async () => {
    const { url } = await openWebhook({ sink: async () => ({ kind: 'filtered', why: 'the secret reason' }) });
    const answer = await sendJson(url, {});
    expect(answer).toMatchObject({ status: 200, text: '{"status":"ignored"}' });
  });

  it('404 and 405 where nothing listens, or not so', async () => {
    const { url, port } = await openWebhook();
    const at = (path: string): string => `http://127.0.0.1:${port}${path}`;
    expect(status(await sendJson(at('/'), {}))).toBe(404);
    expect(status(await sendJson(at('/webhook/'), {}))).toBe(404);
    expect(status(await sendJson(at('/%zz'), {}))).toBe(404);
    const read = await send(url, { method: 'GET' });
    expect([read.status, read.headers.allow]).toEqual([405, 'POST']);
    const posted = await sendJson(at('/health'), {});
    expect([posted.status, posted.headers.allow]).toEqual([405, 'GET, HEAD']);
    expect(status(await sendJson(at('/%77ebhook'), {}))).toBe(202);
  });

  it('503 with a time to come back while the process takes nothing, and says nothing of ours [A12]', async () => {
    const refusals = [
      new AppError('process.not-active', 'alpha failed in /home/someone/alpha.ts'),
      new RetryableError('process.queue-full', 'full'),
      new AppError('process.held', 'held'),
      new AppError('journal.disk-full', '/home/someone/.holdfast-journal is full'),
    ];
    let at = 0;
    const { url, running } = await openWebhook({
      sink: async () => {
        throw refusals[at++]!;
      },
    });
    for (const { code } of refusals) {
      const answer = await sendJson(url, {});
      expect(answer).toMatchObject({ status: 503, body: { status: 'unavailable', reason: code } });
      expect(answer.headers['retry-after']).toBe('30');
      expect(answer.text).not.toContain('/home');
    }
    expect(running.facts.problem).toMatchObject({
      code: 'journal.disk-full',
      message: expect.stringContaining('/home/someone') as string,
      at: expect.stringMatching(/\+00:00$/) as string,
    });
  });

  it('500 to what it did not expect, without a stack or a sentence of ours', async () => {
    const { url, running } = await openWebhook({
      sink: async () => {
        throw new TypeError('cannot read /home/someone/secret.ts');
      },
    });
    const answer = await sendJson(url, {});
    expect(answer.status).toBe(500);
    expect(answer.text).not.toMatch(/home|TypeError|at /);
    expect(running.facts.problem).toMatchObject({ code: 'TypeError' });
  });
});

describe('signatures at the door [A15]', () => {
  it('are asked for before anything is parsed or accepted', async () => {
    const { url, calls, running } = await openWebhook({ config: { secret: SECRET } });
    const header = 'x-webhook-signature';
    const json = { 'content-type': 'application/json' };
    expect(status(await send(url, { body: '{', headers: json }))).toBe(401);
    expect(running.facts).toMatchObject({ isSigned: true, problem: { code: 'trigger.bad-signature' } });
    expect(status(await send(url, { body: 'a', headers: { [header]: signed('b') } }))).toBe(401);
    expect(status(await send(url, { body: '{', headers: { ...json, [header]: signed('{') } }))).toBe(400);
    expect(status(await send(url, { body: 'a', headers: { [header]: signed('a') } }))).toBe(202);
    expect(calls).toHaveLength(1);
  });

  it('that are no text at all are refused, and break nothing', async () => {
    for (const scheme of ['generic', 'github', 'stripe'] as const) {
      const { port, calls } = await openWebhook({
        config: { secret: SECRET, scheme, signatureHeader: 'x-signed' },
      });
      const { socket, ended } = await rawConnection(port);
      const garbage = Buffer.from([0xff, 0xfe, 0x80, 0xc3, 0x28]);
      socket.write(
        'POST /webhook HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\nX-Signed: ',
      );
      socket.write(Buffer.concat([garbage, Buffer.from('\r\n\r\n{}')]));
      expect(await ended).toMatch(/^HTTP\/1\.1 401 /);
      expect(calls).toEqual([]);
    }
  });

  it('with a time are taken once, also from many at once; a refusal by the process uses none up', async () => {
    let isFull = true;
    const accept = acceptOnce();
    const { url, calls } = await openWebhook({
      config: { secret: SECRET, scheme: 'stripe' },
      sink: async (call) => {
        if (isFull) throw new AppError('process.queue-full', 'full');
        return accept(call);
      },
    });
    const body = '{"id":"evt_1"}';
    const headers = {
      'stripe-signature': stripeSigned(body, Math.floor(Date.now() / 1_000)),
      'content-type': 'application/json',
    };
    expect(status(await send(url, { body, headers }))).toBe(503);
    isFull = false;
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(url, { body, headers })));
    expect(answers.map(status).toSorted((a, b) => a - b)).toEqual([202, ...Array<number>(9).fill(409)]);
    // A key of the sender's own changes nothing.
    const again = await send(url, { body, headers: { ...headers, 'idempotency-key': 'another' } });
    expect(again).toMatchObject({ status: 409, body: { status: 'error' } });
    expect(new Set(calls.map(({ key }) => key)).size).toBe(1);
    expect(calls[0]?.key).toMatch(/^signature:[0-9a-f]{64}$/);
  });
});

describe('what is sent twice', () => {
  it('is accepted once by the number of a delivery of GitHub, and told so', async () => {
    const { url, calls } = await openWebhook({ config: { scheme: 'github', secret: SECRET } });
    const deliver = (id: string): Promise<Heard> =>
      send(url, { body: 'x', headers: { 'x-github-delivery': id, 'x-hub-signature-256': signed('x') } });
    expect(await deliver('one')).toMatchObject({ status: 202, body: { event_id: 'event-1' } });
    expect(await deliver('one')).toMatchObject({
      status: 202,
      body: { status: 'accepted', event_id: null, message: expect.stringContaining('before') as string },
    });
    expect(await deliver('two')).toMatchObject({ status: 202, body: { event_id: 'event-2' } });
    expect(calls.every(({ key }) => (key ?? '').length <= 200)).toBe(true);
  });

  it('is accepted once under a key of the sender, however long it is, and each time without one', async () => {
    const { url, calls } = await openWebhook();
    const headers = { 'idempotency-key': 'k'.repeat(4_000) };
    expect(await sendJson(url, {}, { headers })).toMatchObject({ body: { event_id: 'event-1' } });
    expect(await sendJson(url, {}, { headers })).toMatchObject({ body: { event_id: null } });
    expect(await sendJson(url, {})).toMatchObject({ body: { event_id: 'event-2' } });
    expect(await sendJson(url, {})).toMatchObject({ body: { event_id: 'event-3' } });
    expect(calls.map(({ key }) => key?.length)).toEqual([68, 68, undefined, undefined]);
  });
});

describe('who is let in', () => {
  it('is who is named, by the address at the other end of the connection', async () => {
    const { url, port, running } = await openWebhook({ config: { allowedSources: ['127.0.0.2'] } });
    const other = { headers: { 'x-forwarded-for': '127.0.0.2' } };
    expect(await sendJson(url, {}, other)).toMatchObject({ status: 403 });
    expect(running.facts.problem).toMatchObject({ code: 'trigger.source-refused' });
    expect(await sendJson(url, {}, { localAddress: '127.0.0.2' })).toMatchObject({ status: 202 });
    const health = `http://127.0.0.1:${port}/health`;
    expect(await send(health, { method: 'GET' })).toMatchObject({ status: 403 });
    expect(await send(health, { method: 'GET', localAddress: '127.0.0.2' })).toMatchObject({ status: 200 });
  });

  it('is no page of another site, nor a name that was made to lead here', async () => {
    const { url } = await openWebhook();
    expect(await sendJson(url, {}, { headers: { origin: 'https://evil.example' } })).toMatchObject({
      status: 403,
    });
    expect(await sendJson(url, {}, { headers: { host: 'evil.example' } })).toMatchObject({ status: 421 });
    const signedOne = await openWebhook({ config: { secret: SECRET } });
    const tunnelled = { host: 'hooks.example', 'x-webhook-signature': signed('{}') };
    expect(await sendJson(signedOne.url, {}, { headers: tunnelled })).toMatchObject({ status: 202 });
  });
});

describe('health, on the same port', () => {
  it('is that of the process, as Promptise tells it [A12]', async () => {
    let reason: string | null = null;
    const { port } = await openWebhook({ health: () => ({ reason, queueSize: 3 }) });
    const look = (method = 'GET'): Promise<Heard> => send(`http://127.0.0.1:${port}/health`, { method });
    expect(await look()).toMatchObject({
      status: 200,
      body: { status: 'healthy', reason: null, trigger_id: `webhook-${port}/webhook`, queue_size: 3 },
    });
    reason = 'process failed';
    const failed = await look();
    expect(failed.status).toBe(503);
    expect(failed.body).toEqual({
      status: 'unavailable',
      reason,
      trigger_id: `webhook-${port}/webhook`,
      queue_size: 3,
    });
    expect(await look('HEAD')).toMatchObject({ status: 503, text: '' });
  });

  it('is unavailable where one of several is, and names each', async () => {
    const first = await openWebhook();
    const { port, servers } = first;
    await openWebhook({
      servers,
      config: { port, path: '/other' },
      health: () => {
        throw new Error('not known');
      },
    });
    const answer = await send(`http://127.0.0.1:${port}/health`, { method: 'GET' });
    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({
      reason: 'health unknown',
      trigger_id: `webhook-${port}/other`,
      triggers: [{ status: 'healthy' }, { status: 'unavailable' }],
    });
  });
});

it('a connection is used again, and answers come in the order of the requests', async () => {
  const { port, calls } = await openWebhook({
    sink: async ({ payload }) => {
      if (payload === 1) await waitFor(() => calls.length === 2);
      return { kind: 'accepted', eventId: `e${JSON.stringify(payload)}` };
    },
  });
  const { socket, ended } = await rawConnection(port);
  const post = (body: string, more = ''): string =>
    `POST /webhook HTTP/1.1\r\nHost: localhost\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
  socket.write(post('1') + post('2', 'Connection: close\r\n'));
  expect((await ended).match(/"event_id":"e\d"/g)).toEqual(['"event_id":"e1"', '"event_id":"e2"']);
});

it('waits to be asked for a large body before it lets it be sent', async () => {
  const { port } = await openWebhook({ config: { maxBodyBytes: 10 } });
  const ask = async (bytes: number): Promise<string> => {
    const { socket, heard } = await rawConnection(port);
    socket.write(
      `POST /webhook HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: ${bytes}\r\n\r\n`,
    );
    return waitFor(() => heard() !== '' && heard());
  };
  expect(await ask(10)).toMatch(/^HTTP\/1\.1 100 /);
  expect(await ask(11)).toMatch(/^HTTP\/1\.1 413 /);
});

it('takes many requests on one kept connection', async () => {
  const { url, calls } = await openWebhook();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => sendJson(url, n, { agent })));
  agent.destroy();
  expect(answers.every(({ status }) => status === 202)).toBe(true);
  expect(calls.map(({ payload }) => payload)).toEqual(Array.from({ length: 20 }, (_, n) => n));
});
