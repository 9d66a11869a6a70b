import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { CheckReport } from '../../../src/check/report.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { runCommand } from '../../support/run-command.ts';

/** Reads its account before it listens, and ends if that fails. `isPatient` waits as long as Retry-After says. */
const app = (isPatient: boolean) => `
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
const headers = { authorization: 'Bearer ' + process.env.SVC_API_KEY, 'content-type': 'application/json' };
const send = (path, more) => fetch(process.env.SVC_BASE_URL + path, { headers, ...more });
const account = await send('/v1/account');
if (account.status !== 200) throw new Error('no account');
await account.json();
const body = JSON.stringify({ model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hello.' }] });
createServer(async (_, answer) => {
  let chat;
  for (let turn = 0; turn < 4; turn += 1) {
    chat = await send('/v1/chat/completions', { method: 'POST', body });
    await chat.arrayBuffer();
    if (chat.status < 429 || ${!isPatient}) break;
    await pause(1100);
  }
  answer.statusCode = chat.status === 200 ? 200 : 503;
  answer.end();
}).listen(process.env.PORT, '127.0.0.1', () => console.log('up'));
`;

const TEST = `
import assert from 'node:assert/strict';
import { test } from 'node:test';
test('chats', async () => assert.equal((await fetch('http://127.0.0.1:' + process.env.PORT)).status, 200));
`;

async function checked(isPatient: boolean, faults: string, start: string) {
  const folder = emptyFolder();
  writeFileSync(path.join(folder, 'app.mjs'), app(isPatient));
  writeFileSync(path.join(folder, 'chat.test.mjs'), TEST);
  const only = ['--only', faults, '--budget', '90s', '--report', 'found.json'];
  const { exitCode, stderr } = await runCommand(
    ['check', ...only, '--start', start, '--', 'node', '--test', 'chat.test.mjs'],
    {},
    folder,
  );
  const { checks, findings } = JSON.parse(readFileSync(path.join(folder, 'found.json'), 'utf8')) as CheckReport;
  const states = Object.fromEntries(checks.map(({ id, state }) => [id, state]));
  return { exitCode, stderr, states, found: findings.map(({ title }) => title) };
}

it('reports no finding if a failed request ends an app at its start, because check starts the app again', async () => {
  const { exitCode, stderr, states, found } = await checked(true, 'status:503', 'node app.mjs');
  expect(stderr).not.toContain('ready');
  expect(found).toEqual([]);
  expect(states).toMatchObject({ 'honours-retry-after': 'passed' });
  expect(exitCode).toBe(0);
});

it('reports no finding for a pair of faults that costs as much as one of them alone', async () => {
  const { states, found } = await checked(false, 'status:429,kill:after', 'PORT=$PORT node app.mjs');
  expect(states).toMatchObject({ 'honours-retry-after': 'failed', 'survives-restart': 'passed' });
  expect(found.filter((title) => title.includes('; '))).toEqual([]);
});
