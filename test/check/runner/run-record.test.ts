import { expect, it } from 'vitest';
import { canFaultOccurAtSite, FAULTS } from '../../../src/check/faults/fault-table.ts';
import { findSites } from '../../../src/check/faults/find-sites.ts';
import type { Site } from '../../../src/check/faults/site.ts';
import { makeSingleFaultScenarios } from '../../../src/check/plan.ts';
import { failedTestsInOutput, readRunRecord } from '../../../src/check/runner/run-record.ts';
import { ControlConnection } from '../../../src/control/control-connection.ts';
import { CHAT } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

/** A new account of a new emulator. `record` reads the record of a run on it. */
async function newcomer() {
  const here = await world();
  const account = await here.account();
  const { call: control } = new ControlConnection(here.url);
  return { account, control, record: () => readRunRecord({ control, accountId: account.id }) };
}

/** The scenarios with one fault that are planned for these sites. */
const plannedAt = (sites: readonly Site[], wants = (_: string) => true) =>
  makeSingleFaultScenarios(sites, { wants, kills: true, seed: 1 });

it('reads all pages of the requests of a run, oldest first', async () => {
  const { account, record: read } = await newcomer();
  await account.post('/chat/completions', CHAT);
  for (let round = 0; round < 21; round += 1) {
    await Promise.all(Array.from({ length: 50 }, () => account.get('/account')));
  }
  const record = await read();
  expect(record.requests).toHaveLength(1051);
  expect(record.requests[0]).toMatchObject({ method: 'POST', path: '/v1/chat/completions' });
  expect(record.ledger.filter(({ type }) => type === 'charge')).toHaveLength(1);
  const { sites } = findSites(record);
  expect(sites.map(({ name }) => name)).toContain('POST /v1/chat/completions #1');
});

it('gives the site of a read of a stored file the number of the order that created the file', async () => {
  const { account, record } = await newcomer();
  const draw = (prompt: string) =>
    account.post('/images/generations', { model: 'svc-image-one', prompt, store: true, response_format: 'url' });
  await draw('a red fox in the snow');
  await account.get((await draw('a harbour at dawn')).body.data[0].url);
  const { sites } = findSites(await record());
  const files = sites.filter(({ kind }) => kind === 'cdn');
  expect(files).toMatchObject([{ name: 'GET /cdn (image) #2', about: ['job image #2'] }]);
  // The URL of a stored object never expires.
  const found = FAULTS.filter((fault) => canFaultOccurAtSite(fault, files[0] as Site)).map(({ name }) => name);
  expect(found).toContain('truncated');
  expect(found).not.toContain('expired');
});

it('gives the read of a song the same site name, whichever take an app reads first', async () => {
  const siteNames = async (order: number[]) => {
    const { account, record } = await newcomer();
    const song = await account.post('/music/generations', { prompt: 'a shanty', seconds: 30, n: 2 });
    await account.idle();
    for (const take of order) {
      const { body } = await account.get(`/music/generations/${song.body.data[take].id}`);
      await account.get(body.result_url);
    }
    const { sites } = findSites(await record());
    return sites.filter(({ kind }) => kind === 'cdn').map(({ name }) => name);
  };
  expect(await siteNames([1])).toEqual(['GET /cdn #1']);
  expect(await siteNames([0])).toEqual(['GET /cdn #1']);
  expect(await siteNames([1, 0, 1])).toEqual(['GET /cdn #1', 'GET /cdn #2']);
});

it('gives the read of a song the same site name, whether speech is ordered before or after the song', async () => {
  const siteNames = async (isSpeechFirst: boolean) => {
    const { account, record } = await newcomer();
    const speak = () => account.post('/audio/speech', { input: 'Ahoy.' });
    if (isSpeechFirst) await speak();
    const song = await account.made('/music/generations', { prompt: 'a shanty', seconds: 30, n: 1 });
    if (!isSpeechFirst) await speak();
    await account.get(song.body.result_url);
    const { sites } = findSites(await record());
    return sites.filter(({ kind }) => kind === 'cdn').map(({ name }) => name);
  };
  expect(await siteNames(true)).toEqual(await siteNames(false));
});

it('tries an expired URL of an image and of a job separately, because only a job can return a new URL', async () => {
  const { account, record } = await newcomer();
  const image = await account.post('/images/generations', { prompt: 'a quay', response_format: 'url' });
  const song = await account.made('/music/generations', { prompt: 'a shanty', seconds: 30, n: 1 });
  for (const url of [image.body.data[0].url, song.body.result_url]) await account.get(url);
  const planned = plannedAt(findSites(await record()).sites, (name) => name === 'expired');
  expect(planned.map(({ kind }) => kind).sort()).toEqual(['expired at GET /cdn', 'expired at GET /cdn (image)']);
});

const EFFECTS = [
  [402, { status: 402 }],
  [undefined, { lost_response: true }],
  [undefined, { stream: { cut_after: 1 } }],
] as const;

it.each(EFFECTS)(
  'plans no fault at a request that the tests themselves made fail (%s), by %j',
  async (status, effect) => {
    const { account, control, record } = await newcomer();
    await control('createFault', { match: { account_id: account.id, path: '/v1/chat' }, effect });
    const sent = account.post('/chat/completions', { ...CHAT, stream: 'stream' in effect }).catch(() => undefined);
    expect((await sent)?.status).toBe(status);
    await account.post('/chat/completions', { ...CHAT, model: 'svc-rp-plus' });
    const { sites } = findSites(await record());
    const planned = plannedAt(sites).flatMap(({ faults }) => faults);
    expect(sites.map(({ name }) => name)).toContain('POST /v1/chat/completions #1');
    expect(planned.filter(({ site }) => site === 'POST /v1/chat/completions #1')).toEqual([]);
    expect(planned.filter(({ site }) => site === 'POST /v1/chat/completions #2')).not.toEqual([]);
  },
);

it('plans no fault at a delivery to which a fault rule of the tests themselves applies', async () => {
  const { account, control, record } = await newcomer();
  const events = ['image.generation.succeeded' as const];
  await control('addEndpoint', { workspace_id: account.workspaceId, inbox: 'hears', events });
  await control('createFault', { match: { account_id: account.id }, effect: { webhook: 'forged' } });
  for (const prompt of ['a red fox in the snow', 'a harbour at dawn'])
    await account.post('/images/generations', { model: 'svc-image-one', prompt });
  await account.idle();
  const { sites } = findSites(await record());
  const planned = new Set(plannedAt(sites).flatMap(({ faults }) => faults.map(({ site }) => site)));
  const [first, second] = [1, 2].map((n) => `delivery image.generation.succeeded #${n}`);
  expect(sites.map(({ name }) => name)).toEqual(expect.arrayContaining([first, second]));
  expect(planned).toContain(second);
  expect(planned).not.toContain(first);
  const matchOf = (site: string | undefined) => sites.find(({ name }) => name === site)?.match;
  expect(matchOf('endpoint')).toEqual(matchOf(second));
  expect(planned).toContain('POST /v1/images/generations #1');
});

/** The output of Mocha 12, with shortened stacks. */
const MOCHA = `
  1) top level
  shop
    orders
      2) pays once

  1 passing (8s)
  4 failing

  1) top level:
     Error: lost order
      at Context.<anonymous> (shop.test.js:5:86)
     Caused by: TypeError: fetch failed
      at node:internal/deps/undici/undici:14976:13

  2) shop
       orders
         pays once:

      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:
+ actual - expected

+ 'partial'
- 'done'
      + expected - actual

      -partial
      +done
      
      at Context.<anonymous> (shop.test.js:2:76)
      at process.processImmediate (node:internal/timers:483:21)

  3) shop
       compares:

      AssertionError: expected { state: 'lost', …(3) } to deeply equal { state: 'done', …(3) }
      + expected - actual

       {
      -  "state": "lost"
      +  "state": "done"
       }
      
      at Context.<anonymous> (shop.test.js:9:8)

  4) shop
       waits:
     Error: Timeout of 2000ms exceeded. For async tests and hooks, ensure "done()" is called.
      at listOnTimeout (node:internal/timers:581:17)
`;

it('reads the names and whole errors of the failed tests that Mocha prints, with causes and compared values', () => {
  expect(failedTestsInOutput(MOCHA)).toEqual([
    {
      name: 'top level',
      file: 'shop.test.js',
      line: 5,
      error: 'Error: lost order\nCaused by: TypeError: fetch failed',
    },
    {
      name: 'shop > orders > pays once',
      file: 'shop.test.js',
      line: 2,
      error:
        "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n+ actual - expected\n\n+ 'partial'\n- 'done'",
    },
    {
      name: 'shop > compares',
      file: 'shop.test.js',
      line: 9,
      error:
        'AssertionError: expected { state: \'lost\', …(3) } to deeply equal { state: \'done\', …(3) }\n+ "state": "lost"\n- "state": "done"',
    },
    {
      name: 'shop > waits',
      file: undefined,
      line: undefined,
      error: 'Error: Timeout of 2000ms exceeded. For async tests and hooks, ensure "done()" is called.',
    },
  ]);
});

const UNITTEST = `FE
======================================================================
ERROR: test_waits (tests.test_shop.ShopTest.test_waits)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "tests/test_shop.py", line 7, in test_waits
    ask('/')
ConnectionRefusedError: [Errno 111] Connection refused

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "tests/test_shop.py", line 9, in test_waits
    raise requests.ConnectionError(url)
requests.exceptions.ConnectionError: http://127.0.0.1:20001/

======================================================================
FAIL: test_pays (tests.test_shop.ShopTest.test_pays)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "tests/test_shop.py", line 14, in test_pays
    self.assertEqual(order['state'], 'done')
AssertionError: 'lost' != 'done'
- lost
+ done


----------------------------------------------------------------------
Ran 2 tests in 0.412s

FAILED (failures=1, errors=1)
 * Debug mode: off
`;

it('reads the names and errors of the failed tests that unittest prints', () => {
  expect(failedTestsInOutput(UNITTEST).map(({ name, error }) => [name, error])).toEqual([
    [
      'test_waits (tests.test_shop.ShopTest.test_waits)',
      'requests.exceptions.ConnectionError: http://127.0.0.1:20001/',
    ],
    ['test_pays (tests.test_shop.ShopTest.test_pays)', "AssertionError: 'lost' != 'done'"],
  ]);
});

it('applies a fault to the delivery of a request whose prompt contains a directive, although fault rules do not match directives', async () => {
  const { account, control, record } = await newcomer();
  const events = ['image.generation.failed' as const];
  await control('addEndpoint', { workspace_id: account.workspaceId, inbox: 'hears', events });
  const draw = async () => {
    for (const prompt of ['a red fox in the snow', 'a harbour at dawn [[fail:out_of_paint]]'])
      await account.post('/images/generations', { model: 'svc-image-one', prompt });
  };
  await draw();
  const site = findSites(await record()).sites.find(({ name }) => name === 'delivery image.generation.failed #1');
  const { id: rule } = await control('createFault', {
    match: { ...site?.match, account_id: account.id },
    effect: { webhook: 'duplicate' },
  });
  expect(site?.match.contains).toBe('a harbour at dawn');
  await draw();
  const { data } = await control('listFaults', {});
  expect(data.find((each) => each.id === rule)?.applied).toBe(1);
});
