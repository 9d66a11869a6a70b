import { expect, it } from 'vitest';
import { folderOf } from '../../cli/spawned-program.ts';
import { ALL, checked, idsIn } from '../checked.ts';

/** An app that reads its account at its start, and exits if that fails. It waits over a second before each retry. */
const APP = `
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
    if (chat.status < 429) break;
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

it('reports no finding if a failed request ends an app at its start, because check starts the app again', async () => {
  const folder = folderOf({ 'app.mjs': APP, 'chat.test.mjs': TEST });
  const options = [...ALL, '--only', 'status:503', '--start', 'node app.mjs'];
  const { exitCode, stderr, report } = await checked(['node', '--test', 'chat.test.mjs'], options, { folder });
  expect(stderr).not.toContain('ready');
  expect([exitCode, report.findings]).toEqual([0, []]);
  expect(idsIn(report, 'passed')).toContain('honours-retry-after');
});
