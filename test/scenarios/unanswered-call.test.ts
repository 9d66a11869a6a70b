import { expect, it } from 'vitest';
import { emptyFolder, type SpawnedProgram, startProgram } from '../cli/spawned-program.ts';
import { journalled } from '../support/striking.ts';
import { CHAT } from '../support/wire.ts';
import { TestAccount, World } from '../support/world.ts';

interface Running {
  program: SpawnedProgram;
  here: World;
}

async function start(folder: string): Promise<Running> {
  const { program, url } = await startProgram(['--data-dir', folder, '--log', 'silent']);
  return { program, here: new World({ url, controlToken: undefined }) };
}

/** The same account as the program knows it that runs now. */
function again({ id, workspaceId, key }: TestAccount, here: World): TestAccount {
  return new TestAccount(here, { id, workspace_id: workspaceId, api_key: key });
}

it.each([
  ['chat', { ...CHAT, context: '[[slow:3600]]' }],
  ['stream', { ...CHAT, context: '[[slow:3600]]', stream: true }],
])(
  'refunds a slow %s once whose answer a kill cut off, for its result is kept nowhere [I106 R005]',
  async (_name, body) => {
    const folder = emptyFolder();
    const first = await start(folder);
    const ana = await first.here.account();
    const waiting = ana.post('/chat/completions', body).catch(() => 'cut');
    await ana.charged();
    expect(await ana.ledger()).toEqual(['grant 50', 'charge -1']);
    await first.program.stop('SIGKILL');
    expect(await waiting).toBe('cut');

    const second = await start(folder);
    expect(await again(ana, second.here).ledger()).toEqual(['grant 50', 'charge -1', 'refund 1']);
    await second.program.stop('SIGKILL');
    const third = await start(folder);
    const her = again(ana, third.here);
    expect(await her.ledger()).toEqual(['grant 50', 'charge -1', 'refund 1']);
    expect(await her.events()).toEqual([]);
    expect(await third.here.invariants()).toMatchObject({ ok: true });
  },
);

it('refunds a slow chat that a stop cut off, and none that the client gave up or that was answered or failed before [I106 R005]', async () => {
  const folder = emptyFolder();
  const first = await start(folder);
  await first.here.control('PUT', '/clock', { frozen: true });
  const [answered, failed, gone, cut] = await Promise.all(Array.from({ length: 4 }, () => first.here.account()));
  const slow = (account: TestAccount | undefined, words: string, signal?: AbortSignal) =>
    fetch(`${first.here.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...account?.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ ...CHAT, context: words }),
      signal: signal ?? null,
    }).then(
      ({ status }) => status,
      () => 'cut',
    );
  const hangUp = new AbortController();
  const calls = [
    slow(answered, '[[slow:5]]'),
    slow(failed, '[[slow:3600]][[fail]]'),
    slow(gone, '[[slow:3600]]', hangUp.signal),
    slow(cut, '[[slow:3600]]'),
  ];
  const accounts = [answered, failed, gone, cut] as TestAccount[];
  await Promise.all(accounts.map((account) => account.charged(account === failed ? 3 : 2)));
  await first.here.advance(5);
  expect(await calls[0]).toBe(200);
  hangUp.abort();
  expect(await calls[2]).toBe('cut');
  // A call is in the journal once its connection is closed.
  await journalled(gone as TestAccount, 1);
  await first.program.stop();
  expect(await Promise.all(calls.slice(1))).toEqual(['cut', 'cut', 'cut']);

  const { here } = await start(folder);
  const ledgers = await Promise.all(accounts.map((account) => again(account, here).ledger()));
  expect(ledgers).toEqual([
    ['grant 50', 'charge -1'],
    ['grant 50', 'charge -1', 'refund 1'],
    ['grant 50', 'charge -1'],
    ['grant 50', 'charge -1', 'refund 1'],
  ]);
  expect(await here.invariants()).toMatchObject({ ok: true });
});
