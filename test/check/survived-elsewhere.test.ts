import assert from 'node:assert/strict';
import { expect, it } from 'vitest';
import type { CommandRun } from '../support/command-here.ts';
import { ALL, checked } from './checked.ts';

const ORDER = { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Good evening.' }], stream: true };

async function readStream({ env }: CommandRun, key: string, add: (text: string) => void): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const order = { method: 'POST', headers, body: JSON.stringify(ORDER) };
  const { body } = await fetch(`${env.SVC_BASE_URL}/v1/chat/completions`, order);
  for await (const chunk of body ?? []) {
    const deltas = Buffer.from(chunk)
      .toString()
      .matchAll(/"content":"([^"]*)"/g);
    for (const [, text = ''] of deltas) add(text);
  }
}

it.each([
  ['an error', 'failed', []],
  ['success', 'done', ['detects-cut-streams']],
])('if a test misses half a text, lets the app that reports %s without [DONE] decide', async (_, ending, found) => {
  let whole = '';
  const suite = (run: CommandRun) =>
    run.test('streams', async (key) => {
      let text = '';
      const end = await readStream(run, key, (more) => {
        text += more;
      }).then(
        () => 'done',
        () => ending,
      );
      whole ||= text;
      assert.equal(text, whole);
      assert.equal(end, 'done');
    });
  const { report } = await checked(suite, [...ALL, '--only', 'cut:*']);
  expect(report.findings.map(({ check }) => check)).toEqual(found);
});

it.each([
  [true, []],
  [false, ['survives-lost-messages']],
])(
  'reports a test that waits for a lost event alone only if no other test reads the job (%s)',
  async (reads, found) => {
    const sings = (run: CommandRun, name: string, mayRead: boolean) =>
      run.test(name, async (key, { id }) => {
        const url = `${run.env.SVC_BASE_URL}/_emulator/inbox/${id}`;
        await run.call('POST', '/v1/webhooks', { url, events: ['music.generation.succeeded'] }, key);
        const order = { prompt: 'a shanty', seconds: 30, n: 1 };
        const { body: song } = await run.call('POST', '/v1/music/generations', order, key);
        await run.call('GET', `/_emulator/wait?for=idle&account_id=${id}`);
        const { body: inbox } = await run.call('GET', `/_emulator/inbox/${id}/messages`);
        const read = () => run.call('GET', `/v1/music/generations/${song.data[0].id}`, undefined, key);
        const isSung = inbox.data.length > 0 || (mayRead && (await read()).body.status === 'succeeded');
        assert.equal(isSung ? 'sung' : 'open', 'sung');
      });
    const suite = (run: CommandRun) => Promise.all([sings(run, 'waits', false), sings(run, 'reads', reads)]);
    const { report } = await checked(suite, [...ALL, '--only', 'lost']);
    expect(report.findings.map(({ check }) => check)).toEqual(found);
    expect(report.expects_success.map(({ test }) => test)).toEqual(reads ? ['waits (suite.mjs:1)'] : []);
  },
);
