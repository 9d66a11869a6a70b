import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runToEnd } from '../cli/spawned-program.ts';
import { appliedFault, journalled, rule } from '../support/striking.ts';
import { CHAT, openCall, sendCall } from '../support/wire.ts';
import { type TestAccount, world } from '../support/world.ts';

const emulator = await world();
await emulator.control('PUT', '/clock', { frozen: true });

/** Sends a request, hangs up after `isUnderWay`, and waits until the call is in the journal. */
async function leave(account: TestAccount, path: string, body: object, isUnderWay: () => Promise<void>) {
  const call = openCall(account, path, body);
  await isUnderWay();
  call.hangUp();
  expect(await call.answered).toBe('cut');
  await journalled(account, 1);
}

/** Every job succeeded although the clock is frozen, the request was charged once, and nothing is left open. */
async function expectDone(account: TestAccount, credits: number, events: string[]) {
  await account.idle();
  const jobs = await account.jobs();
  expect(jobs.map(({ status }) => status)).toEqual(jobs.map(() => 'succeeded'));
  expect(await account.library()).toHaveLength(jobs.length);
  expect(await account.events()).toEqual(events);
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 100', `charge -${credits}`]);
  expect(await emulator.invariants()).toMatchObject({ ok: true });
}

const PICTURE = ['image.generation.succeeded'];
const CLIP = ['video.generation.succeeded'];
const PATHS: Record<string, string> = {
  chat: '/chat/completions',
  speech: '/audio/speech',
  video: '/videos/generations',
};

/** Each keeps a call open, and returns a function that waits until the client may leave. */
const SLOW = async (account: TestAccount) => () => account.charged(3);
const BY_HAND = async (account: TestAccount) => {
  await emulator.control('PUT', '/progression', { mode: 'manual', account_id: account.id });
  return () => account.ordered();
};
const DELAYED = async (account: TestAccount) => {
  const shown = await rule(account, { delay_ms: 600_000 });
  return () => appliedFault(shown);
};

it.each<[string, string, typeof SLOW, object, number, string[]]>([
  ['slow', 'chat', SLOW, { ...CHAT, context: '[[slow:600]]' }, 1, []],
  ['slow', 'image', SLOW, { prompt: 'a pier [[slow:600]]' }, 10, PICTURE],
  ['slow unstored', 'image', SLOW, { prompt: 'a lake [[slow:600]]', store: false }, 10, PICTURE],
  ['slow', 'speech', SLOW, { input: 'Hello [[slow:600]]', voice: 'aria' }, 3, []],
  ['slow', 'video', SLOW, { model: 'svc-motion-one', prompt: 'a river [[slow:600]]' }, 100, CLIP],
  ['manually progressed', 'image', BY_HAND, { prompt: 'a harbour' }, 10, PICTURE],
  ['delayed', 'chat', DELAYED, CHAT, 1, []],
  ['delayed', 'image', DELAYED, { prompt: 'a delayed pier' }, 10, PICTURE],
])(
  'completes a %s %s at once if its client disconnects [I207 I038 I173]',
  async (_why, medium, keepOpen, body, credits, events) => {
    const account = await emulator.account({ credits: 150 });
    await leave(account, PATHS[medium] ?? '/images/generations', body, await keepOpen(account));
    await expectDone(account, credits, events);
  },
);

async function expectChargedOnce(account: TestAccount, credits: number) {
  expect(await account.ledger()).toEqual(['grant 50', `charge -${credits}`]);
  expect((await account.get('/account')).body).toEqual({
    object: 'account',
    credits: 50 - credits,
    usage_30d: { requests: 1, credits },
  });
  expect([await account.events(), await account.deliveries()]).toEqual([[], []]);
  expect(await emulator.invariants()).toMatchObject({ ok: true });
}

it('charges a stream whose client disconnects after the first chunk [I038]', async () => {
  const account = await emulator.account();
  const socket = sendCall(account, '/chat/completions', { ...CHAT, model: 'svc-rp-plus', stream: true });
  await once(socket, 'data');
  socket.resetAndDestroy();
  await journalled(account, 1);
  await expectChargedOnce(account, 3);
});

it.each<[string, string, object, number, string[]]>([
  ['chat', '/chat/completions', { ...CHAT, context: '[[slow:30]]' }, 1, []],
  ['stream', '/chat/completions', { ...CHAT, context: '[[slow:30]]', stream: true }, 1, []],
  ['failing chat', '/chat/completions', { ...CHAT, context: '[[slow:30]][[fail]]' }, 0, []],
  ['image', '/images/generations', { prompt: 'a pier [[slow:30]]' }, 10, ['image.generation.succeeded']],
  ['speech', '/audio/speech', { input: 'Hello [[slow:30]]', voice: 'aria' }, 3, []],
])(
  'delays a slow %s (POST %s) until the frozen clock reaches its time [I124 I152]',
  async (_name, path, order, credits, events) => {
    const account = await emulator.account();
    let answered = false;
    const posting = account.post(path, order).then((answer) => {
      answered = true;
      return answer;
    });
    await account.charged();
    await emulator.advance(29);
    expect([answered, await account.events()]).toEqual([false, []]);
    await emulator.advance(1);
    const { status } = await posting;
    expect(status).toBe(credits ? 200 : 502);
    expect(await account.balance()).toBe(50 - credits);
    expect(await account.events()).toEqual(events);
    expect(await account.deliveries()).toEqual([]);
    expect(await emulator.invariants()).toMatchObject({ ok: true });
  },
);

it('responds to a fast request of an account before an earlier slow one [I124]', async () => {
  const account = await emulator.account();
  const order: string[] = [];
  const say = (content: string) =>
    account
      .post('/chat/completions', { ...CHAT, messages: [{ role: 'user', content }] })
      .then(() => order.push(content));
  const slow = say('[[slow:5]] slow');
  await account.charged();
  await say('quick');
  await emulator.advance(5);
  await slow;
  expect(order).toEqual(['quick', '[[slow:5]] slow']);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -1', 'charge -1']);
});

/** Runs two commands and creates every kind of media, while neither the script nor its emulator has a network. */
const STORY = `
  const { execFileSync } = require('node:child_process');
  const { SVC_BASE_URL, OPENAI_BASE_URL, SVC_API_KEY } = process.env;
  const { port } = new URL(SVC_BASE_URL);
  const program = (...args) => execFileSync(process.execPath, [process.argv[1], ...args], { encoding: 'utf8' });
  const send = async (path, body) => {
    const headers = { authorization: 'Bearer ' + SVC_API_KEY, 'content-type': 'application/json' };
    const answer = await fetch(OPENAI_BASE_URL + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(path + ' ' + answer.status + ' ' + (await answer.text()));
    return answer;
  };
  const get = async (path) => (await fetch(SVC_BASE_URL + path)).status;
  const control = async (path) => (await fetch(SVC_BASE_URL + '/_emulator' + path, { method: 'POST' })).status;
  (async () => {
    await fetch('http://192.0.2.1/').catch(() => fetch('http://example.com/')).catch(() => 0);
    await send('/chat/completions', { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hello.' }] });
    await send('/images/generations', { prompt: 'a pier' });
    await send('/audio/speech', { input: 'Hello.', voice: 'aria' });
    await send('/music/generations', { prompt: 'a waltz', seconds: 30, n: 1 });
    await send('/videos/generations', { model: 'vid_max5havc', prompt: 'a pier', resolution: '480p' });
    const endpoint = { url: 'https://app.example.com/hooks', events: ['image.generation.succeeded'] };
    await send('/webhooks', endpoint);
    console.log(await get('/_emulator/wait?for=idle&timeout=120'), await get('/llms.txt'), await get('/openapi.json'));
    program('call', 'saveSnapshot', 'name=cut', '--port', port);
    console.log(JSON.parse(program('openapi')).openapi);
    console.log(await control('/snapshots/cut/restore'), await control('/reset'));
  })();`;

/** The environment of a program that can reach only this machine, and its message if it tries to reach another. */
const CUT_OFF = {
  NODE_OPTIONS: `--import ${fileURLToPath(new URL('../support/loopback-only.mjs', import.meta.url))}`,
};
const REFUSED = /loopback-only refused/;

it('renders every kind of media, restores a snapshot and prints the OpenAPI document without a network', async () => {
  const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
  const line = ['exec', '--quiet', '--', process.execPath, '-e', STORY, main];
  const { exitCode, stdout, stderr } = await runToEnd(line, CUT_OFF);
  expect(stdout).toBe('200 200 200\n3.1.1\n200 204\n');
  // Only the story's own requests are refused, and perhaps a delivery to the receiver, for which nothing waits.
  const refused = stderr.split('\n').filter((told) => REFUSED.test(told));
  const others = refused.filter((told) => !told.includes('app.example.com'));
  expect(others).toEqual([expect.stringContaining('192.0.2.1'), expect.stringContaining('example.com')]);
  expect(exitCode).toBe(0);
});
