import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readCalls } from '../../../src/check/service/recorded-calls.ts';
import { startRecorder } from '../../cli/recorder.ts';
import { emptyFolder, runToEnd } from '../../cli/spawned-program.ts';
import { launchBrowser } from '../../support/browser.ts';
import { runCommand } from '../../support/run-command.ts';
import { world } from '../../support/world.ts';
import { readReport } from './stand-in.ts';

const folder = emptyFolder();
const inFolder = (name: string) => path.join(folder, name);
const service = await world({ seed: 11 });

/** What a client does, in any JavaScript: `base` is the service, `key` its key. */
const STORY = `
const call = async (method, path, body, bearer = key) => {
  const headers = { ...(bearer && { authorization: 'Bearer ' + bearer }), ...(body && { 'content-type': 'application/json' }) };
  const answer = await fetch(base + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  return text.startsWith('{') ? JSON.parse(text) : {};
};
const messages = [{ role: 'user', content: 'Hello.' }];
await call('GET', '/v1/account');
await call('GET', '/v1/account', undefined, '');
await call('GET', '/v1/account', undefined, 'svc_sk_00000000000000000000000000000000');
await call('POST', '/v1/chat/completions', { model: 'svc-rp-mini', messages });
await call('POST', '/v1/chat/completions', { model: 'svc-rp-mini', messages, stream: true });
await call('POST', '/v1/chat/completions', { model: 'svc-rp-mini' });
await call('POST', '/v1/images/generations', { prompt: 'a barn' });
const { id } = await call('POST', '/v1/webhooks', { url: 'https://example.com/hook', events: ['flow.run.failed'] });
await call('DELETE', '/v1/webhooks/' + id);
const { data } = await call('POST', '/v1/music/generations', { prompt: 'a song', seconds: 30, n: 1 });
for (let status = ''; status !== 'succeeded'; ) ({ status } = await call('GET', '/v1/music/generations/' + data[0].id));
await call('GET', '/v1/music/generations/job_000000000000000000000000');
`;
const CALLS = 12;

async function compared(name: string, flags: readonly string[] = []) {
  const { exitCode, stderr } = await runCommand(
    ['drift', '--from', name, '--report', 'from.json', ...flags],
    {},
    folder,
  );
  expect(stderr).toBe('');
  return { exitCode, ...readReport(inFolder('from.json')) };
}

it('finds no difference in a HAR of Playwright, made of a page in Chromium', async () => {
  const { key } = await service.account({ credits: 100 });
  const browser = await launchBrowser();
  const context = await browser.newContext({ recordHar: { path: inFolder('playwright.har'), content: 'embed' } });
  const page = await context.newPage();
  await page.goto(`${service.url}/v1/models`);
  await page.evaluate(`(async (base, key) => { ${STORY} })('', ${JSON.stringify(key)})`);
  await context.close();
  await browser.close();
  const calls = readCalls(inFolder('playwright.har'), readFileSync(inFolder('playwright.har'), 'utf8'));
  expect(calls.length).toBeGreaterThan(CALLS);
  expect(calls.filter(({ answer }) => answer === undefined)).toEqual([]);
  const { exitCode, found, report } = await compared('playwright.har');
  expect([exitCode, found]).toEqual([0, []]);
  expect(report.results.filter(({ outcome }) => outcome !== 'same')).toEqual([]);
});

it('finds what a HAR of Playwright has otherwise', async () => {
  const text = readFileSync(inFolder('playwright.har'), 'utf8');
  writeFileSync(inFolder('other.har'), text.replaceAll('\\"object\\":\\"account\\"', '\\"object\\":\\"wallet\\"'));
  const { exitCode, found } = await compared('other.har');
  expect([exitCode, found]).toEqual([1, ['R035 getAccount word object']]);
});

it('finds no difference in what record has written of a client in Node', async () => {
  const { key } = await service.account({ credits: 100 });
  const recorder = await startRecorder(service.url, inFolder('recorded.ndjson'));
  const AsyncFunction: FunctionConstructor = Object.getPrototypeOf(async () => undefined).constructor;
  await AsyncFunction('base', 'key', STORY)(recorder.url, key);
  await recorder.stop();
  const { exitCode, found, report } = await compared('recorded.ndjson');
  expect([exitCode, found]).toEqual([0, []]);
  expect(report.measured.planned).toBeGreaterThanOrEqual(CALLS);
});

it('finds no difference in a trace of exec', async () => {
  const story = `const base = process.env.SVC_BASE_URL.replace(/\\/v1$/, ''), key = process.env.SVC_API_KEY;\n${STORY}`;
  writeFileSync(inFolder('story.mjs'), story);
  const trace = ['exec', '--trace', 'run.html', '--', process.execPath, 'story.mjs'];
  const ran = await runToEnd(trace, {}, folder);
  expect([ran.exitCode, ran.stderr]).toEqual([0, expect.stringContaining('run.html')]);
  const { exitCode, found, report } = await compared('run.html');
  expect([exitCode, found]).toEqual([0, []]);
  expect(report.measured.planned).toBeGreaterThanOrEqual(CALLS);
});
