import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { runCommand } from '../../support/run-command.ts';
import { type TestAccount, world } from '../../support/world.ts';
import { readReport } from './stand-in.ts';

const folder = emptyFolder();
const inFolder = (name: string) => path.join(folder, name);
const service = await world({ seed: 9 });

interface Exchange {
  method: string;
  url: string;
  request: unknown;
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** What a client of the service does, as something between them writes it down. */
async function recorded(account: TestAccount): Promise<Exchange[]> {
  const exchanges: Exchange[] = [];
  const call = async (method: string, route: string, request?: unknown, headers = account.headers) => {
    const { status, headers: given, bytes } = await service.call(method, route, request, headers);
    const url = `https://api.example.com${route}`;
    exchanges.push({ method, url, request, status, headers: Object.fromEntries(given), body: bytes.toString() });
    return bytes.length > 0 && given.get('content-type')?.startsWith('application/json')
      ? JSON.parse(bytes.toString())
      : {};
  };
  await call('GET', '/v1/account');
  await call('GET', '/v1/account', undefined, {} as typeof account.headers);
  await call('GET', '/v1/account', undefined, { authorization: 'Bearer svc_sk_00000000000000000000000000000000' });
  await call('POST', '/v1/chat/completions', { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hi.' }] });
  await call('POST', '/v1/chat/completions', { model: 'svc-rp-mini' });
  const { id } = await call('POST', '/v1/webhooks', { url: 'http://127.0.0.1:9/hook', events: ['flow.run.failed'] });
  await call('DELETE', `/v1/webhooks/${id}`);
  const { data } = await call('POST', '/v1/music/generations', { prompt: 'a song', seconds: 30, n: 1 });
  await call('GET', `/v1/music/generations/${data[0].id}`);
  await service.wait(`job:${data[0].id}`, { timeout: 60 });
  await call('GET', `/v1/music/generations/${data[0].id}`);
  await call('GET', '/v1/music/generations/job_000000000000000000000000');
  return exchanges;
}

const exchanges = await recorded(await service.account({ credits: 100 }));
/** Without the song, which the emulator would render too. */
const quick = exchanges.slice(0, 7);

function ndjson(rows: readonly Exchange[]): string {
  const lines = rows.map(({ method, url, request, status, headers, body }) => {
    const asked = { method, url, headers: status === 401 ? {} : { authorization: 'Bearer …' }, body: request };
    return JSON.stringify({ request: asked, response: { status, headers, body } });
  });
  return `${lines.join('\n')}\n`;
}

/** As Chrome exports it; `more` is what another browser writes beside that, and how it has bodies. */
function har(rows: readonly Exchange[], more: { entry?: object; content?: (body: string) => object } = {}): string {
  const list = (headers: Record<string, string>) => Object.entries(headers).map(([name, value]) => ({ name, value }));
  const inBase64 = (body: string) => ({ text: Buffer.from(body).toString('base64'), encoding: 'base64' });
  const { entry, content = inBase64 } = more;
  const entries = rows.map(({ method, url, request, status, headers, body }) => ({
    ...{ startedDateTime: '2026-01-01T00:00:00.000Z', ...entry },
    request: {
      ...{ method, url, headers: list(status === 401 ? {} : { Authorization: 'Bearer …' }), cookies: [] },
      ...(request === undefined ? {} : { postData: { mimeType: 'application/json', text: JSON.stringify(request) } }),
    },
    response: {
      ...{ status, statusText: '', headers: list(headers), redirectURL: '' },
      content: { mimeType: headers['content-type'] ?? '', ...content(body) },
    },
  }));
  return JSON.stringify({ log: { version: '1.2', creator: { name: 'WebInspector', version: '1' }, entries } });
}

async function compared(name: string, text: string, flags: readonly string[] = []) {
  writeFileSync(inFolder(name), text);
  const report = ['--report', inFolder('from.json')];
  const ended = await runCommand(['drift', '--from', name, ...report, ...flags], {}, folder);
  return { ...ended, ...(ended.exitCode === 2 ? { found: [], report: undefined } : readReport(inFolder('from.json'))) };
}

/** As Firefox exports it: texts as they are. */
function firefoxHar(rows: readonly Exchange[]): string {
  const entry = {
    startedDateTime: '2026-01-01T00:00:00.000+01:00',
    pageref: 'page_1',
    _securityState: 'secure',
    cache: {},
  };
  return har(rows, { entry, content: (body) => ({ size: body.length, text: body }) });
}

/** As Chrome exports it unless it is asked otherwise: without keys and cookies. */
function sanitizedHar(rows: readonly Exchange[]): string {
  return har(rows).replaceAll(
    '{"name":"Authorization","value":"Bearer …"}',
    '{"name":":authority","value":"api.test"}',
  );
}

it.each([
  ['a HAR of Chrome', 'run.har', (rows: readonly Exchange[]) => har(rows), exchanges],
  ['a HAR of Chrome without keys', 'sanitized.har', sanitizedHar, quick],
  ['a HAR of Firefox', 'firefox.har', firefoxHar, quick],
  ['an NDJSON', 'run.ndjson', ndjson, quick],
])('finds no difference in %s of another emulator', async (_what, name, write, rows) => {
  const { exitCode, stderr, found, report } = await compared(name, write(rows));
  expect([exitCode, stderr, found]).toEqual([0, '', []]);
  expect(report?.results.every(({ outcome }) => outcome === 'same')).toBe(true);
  expect(report?.measured).toMatchObject({ planned: rows.length, requests: 0, credits: 0 });
});

it('finds no difference in a trace of another emulator', async () => {
  const page = await service.control('POST', '/trace', { media: 'small' });
  const { exitCode, stderr, found } = await compared('run.html', page.bytes.toString());
  expect([exitCode, stderr, found]).toEqual([0, '', []]);
});

it('finds what a recording has otherwise, with its rule or choice and the entry', async () => {
  const changed = exchanges.map((each) => ({
    ...each,
    status: each.status === 400 ? 422 : each.status,
    body: each.body
      .replace('"object":"account"', '"object":"account","tier":"gold"')
      .replaceAll('"succeeded"', '"done"'),
  }));
  const { exitCode, found, report } = await compared('run.har', har(changed));
  expect([exitCode, found.toSorted()]).toEqual([
    1,
    ['C019 createChatCompletion status', 'C118 getSong word status', 'R035 getAccount field other 1'],
  ]);
  expect(report?.results.find(({ path: at }) => at === 'other 1')?.case).toBe('entry 1: GET /v1/account');
});

it('reports what a client never meets as information', async () => {
  const changed = quick.map((each) => ({ ...each, status: each.status === 400 ? 422 : each.status }));
  writeFileSync(inFolder('used.ndjson'), ndjson(exchanges.slice(0, 4)));
  const { exitCode, found, report } = await compared('run.har', har(changed), ['--strict', '--used', 'used.ndjson']);
  expect([exitCode, found]).toEqual([0, []]);
  expect(report?.results.filter(({ outcome }) => outcome === 'unused')).toHaveLength(1);
});

it.each([
  ['a HAR that is cut', 'cut.har', har(exchanges).slice(0, -100), /entry 11 is cut or damaged/],
  ['an NDJSON with a damaged line', 'cut.ndjson', `${ndjson(exchanges).slice(0, -30)}\n`, /entry 11 is cut or damaged/],
  [
    'a recording of something else',
    'other.ndjson',
    '{"method":"GET","url":"https://x.test/"}\n',
    /no request of the service/,
  ],
])('refuses %s with 2, and names the entry', async (_what, name, text, message) => {
  const { exitCode, stderr } = await compared(name, text);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
});

it('writes nothing of a recording but types, forms and closed words', async () => {
  const secret = 'hunter2hunter2';
  const changed = quick.map((each) => ({
    ...each,
    url: `${each.url}${each.url.includes('?') ? '&' : '?'}token=${secret}`,
    headers: { ...each.headers, 'x-request-id': secret },
    body: each.body.startsWith('{')
      ? each.body.replace('{', `{"${secret}":"${secret}","note":"${secret}",`)
      : each.body,
  }));
  const { stdout, stderr } = await compared('run.har', har(changed));
  for (const text of [stdout, stderr, readFileSync(inFolder('from.json'), 'utf8')]) expect(text).not.toContain(secret);
});
