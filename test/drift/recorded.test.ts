import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { SpawnedProgram } from '../cli/spawned-program.ts';
import { runCommand } from '../support/run-command.ts';
import { type TestAccount, world } from '../support/world.ts';
import { drift, readReport } from './stand-in.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'drift-'));
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

function ndjson(rows: readonly Exchange[]): string {
  const lines = rows.map(({ method, url, request, status, headers, body }) => {
    const asked = { method, url, headers: status === 401 ? {} : { authorization: 'Bearer …' }, body: request };
    return JSON.stringify({ request: asked, response: { status, headers, body } });
  });
  return `${lines.join('\n')}\n`;
}

function har(rows: readonly Exchange[]): string {
  const list = (headers: Record<string, string>) => Object.entries(headers).map(([name, value]) => ({ name, value }));
  const entries = rows.map(({ method, url, request, status, headers, body }) => ({
    startedDateTime: '2026-01-01T00:00:00.000Z',
    request: {
      ...{ method, url, headers: list(status === 401 ? {} : { Authorization: 'Bearer …' }) },
      ...(request === undefined ? {} : { postData: { mimeType: 'application/json', text: JSON.stringify(request) } }),
    },
    response: {
      ...{ status, headers: list(headers) },
      content: { mimeType: headers['content-type'], text: Buffer.from(body).toString('base64'), encoding: 'base64' },
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

it.each([
  ['a HAR', 'run.har', har],
  ['an NDJSON', 'run.ndjson', ndjson],
])('finds no difference in %s of another emulator', async (_what, name, write) => {
  const { exitCode, stderr, found, report } = await compared(name, write(exchanges));
  expect([exitCode, stderr, found]).toEqual([0, '', []]);
  expect(report?.results.every(({ outcome }) => outcome === 'same')).toBe(true);
  expect(report?.measured).toMatchObject({ planned: 10, requests: 0, credits: 0 });
});

it('finds no difference in a trace of another emulator', async () => {
  const page = await service.control('POST', '/trace', { media: 'small' });
  const { exitCode, found } = await compared('run.html', page.bytes.toString());
  expect([exitCode, found]).toEqual([0, []]);
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
    ['C019 createChatCompletion status', 'C118 getSong word status', 'R035 getAccount field tier'],
  ]);
  expect(report?.results.find(({ path: at }) => at === 'tier')?.case).toBe('entry 1: GET /v1/account');
});

it('reports what a client never meets as information', async () => {
  const changed = exchanges.map((each) => ({ ...each, status: each.status === 400 ? 422 : each.status }));
  writeFileSync(inFolder('used.ndjson'), ndjson(exchanges.slice(0, 3)));
  const { exitCode, found, report } = await compared('run.har', har(changed), ['--strict', '--used', 'used.ndjson']);
  expect([exitCode, found]).toEqual([0, []]);
  expect(report?.results.filter(({ outcome }) => outcome === 'unused')).toHaveLength(1);
});

it.each([
  ['a HAR that is cut', 'cut.har', har(exchanges).slice(0, -100), /entry 10 is cut or damaged/],
  ['an NDJSON with a cut line', 'cut.ndjson', ndjson(exchanges).slice(0, -30), /entry 10 is cut or damaged/],
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
  const changed = exchanges.map((each) => ({
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

it('finds no difference in what record has written of another emulator', async () => {
  const account = await service.account({ credits: 60 });
  const program = new SpawnedProgram(['record', '--upstream', service.url, '--out', inFolder('passed.ndjson')]);
  const url = await new Promise<string>((resolve, reject) => {
    program.child.stdout?.on('data', () => {
      const [, found] = /records \S+ on (\S+)\n/.exec(program.stdout) ?? [];
      if (found) resolve(found);
    });
    program.child.once('close', () => reject(new Error(program.stderr)));
  });
  await drift(folder, { url, key: account.key }, ['--budget', '14']);
  await program.stop();
  const { exitCode, found, report } = await compared('passed.ndjson', readFileSync(inFolder('passed.ndjson'), 'utf8'));
  expect([exitCode, found]).toEqual([0, []]);
  expect(report?.measured.planned).toBeGreaterThan(60);
});
