import { expect, it } from 'vitest';
import { CHAT, converse, fileForm } from '../../support/wire.ts';
import { type TestAccount, world } from '../../support/world.ts';

const emulator = await world();

/** Requests for one connection, each sent before the response to the previous one. */
function pipelined({ key }: TestAccount, ...requests: [string, object?][]): string {
  const sent = requests.map(([target, body], at) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const end = at === requests.length - 1 ? 'close' : 'keep-alive';
    const lines = [`${target} HTTP/1.1`, 'host: localhost', `authorization: Bearer ${key}`, `connection: ${end}`];
    return [...lines, 'content-type: application/json', `content-length: ${text.length}`, '', text].join('\r\n');
  });
  return sent.join('');
}

/** The status and body of each response, in order. */
async function answers(account: TestAccount, ...requests: [string, object?][]) {
  const text = await converse(emulator, pipelined(account, ...requests));
  const parts = text.split(/HTTP\/1\.1 (?=\d{3} )/).slice(1);
  return parts.map((part) => {
    const body = part.slice(part.indexOf('\r\n\r\n') + 4);
    return { status: Number(part.slice(0, 3)), body: body === '' ? undefined : JSON.parse(body) };
  });
}

it('responds to a request with the state after earlier requests on its connection [R003]', async () => {
  const account = await emulator.account();
  const chat: [string, object] = ['POST /v1/chat/completions', CHAT];
  const [first, second, third, fourth] = await answers(account, chat, ['GET /v1/account'], chat, ['GET /v1/account']);
  expect([first, third].map((answer) => answer?.body.usage.credits_remaining)).toEqual([49, 48]);
  expect([second, fourth].map((answer) => answer?.body.credits)).toEqual([49, 48]);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -1', 'charge -1']);
});

it.each<[string, string, string | undefined, (body: { data: unknown[] }) => unknown, unknown]>([
  ['the deletion of an object', 'DELETE /v1/storage/objects/OBJECT', 'GET /v1/storage/objects', ({ data }) => data, []],
  ['a reset', 'POST /_emulator/reset', 'GET /_emulator/requests', ({ data }) => data, []],
  ['an opened account', 'POST /_emulator/accounts', 'GET /_emulator/accounts', ({ data }) => data.length, 3],
])(
  'shows the effect of %s in the response to the next request of the connection',
  async (_what, change, read = '', shown, expected) => {
    await emulator.control('POST', '/reset');
    const account = await emulator.account();
    const { body } = await account.post('/storage/objects', fileForm());
    const [changed, seen] = await answers(account, [change.replace('OBJECT', body.id), {}], [read]);
    expect([200, 201, 204]).toContain(changed?.status);
    expect(shown(seen?.body)).toEqual(expected);
  },
);

it('ignores a pipelined request if the connection closes during the request before it', async () => {
  const account = await emulator.account();
  await account.world.control('POST', '/faults', {
    match: { account_id: account.id },
    effect: { drop: true },
    times: 1,
  });
  const chat: [string, object] = ['POST /v1/chat/completions', CHAT];
  expect(await converse(emulator, pipelined(account, chat, chat)).catch(() => '')).toBe('');
  await account.idle();
  expect(await account.ledger()).toEqual(['grant 50']);
});
