import { expect, it } from 'vitest';
import { secretValues } from '../../../src/base/config/secret-values.ts';
import { NewestRows } from '../../../src/control/trace/collect-trace.ts';
import { TraceAnswers } from '../../../src/control/trace/trace-answer.ts';
import { marksOf, testsOf } from '../../../src/control/trace/trace-marks.ts';
import { world } from '../../support/world.ts';
import { recordIn } from './read-trace.ts';
import { runShop, traceOf } from './run-of-shop.ts';

const emulator = await world({ settleAfter: 1 });

/** A run of the shop, which the tests below only read. */
const { account: shop, song, failing, trace } = await shopTrace();

async function shopTrace() {
  const account = await emulator.account({ credits: 1000 });
  const { song, failing, ...run } = await runShop(emulator, account);
  const html = await traceOf(emulator, { ...run, account_id: account.id });
  return { account, song, failing, trace: recordIn(html) };
}

it('reports the end of a run as the service does', async () => {
  const answers = new TraceAnswers(trace);
  const query = new URLSearchParams({ account_id: shop.id });
  for (const path of ['/jobs', '/events', '/deliveries', '/library', '/accounts']) {
    const asked = path === '/accounts' ? new URLSearchParams({ limit: '1000' }) : query;
    const { body } = await emulator.control('GET', `${path}?${asked}`);
    const answered = answers.get(path, asked) as { data: { id: string }[] };
    if (path === '/accounts') expect(answered.data.map(({ id }) => id)).toEqual([shop.id]);
    const ids = new Set(answered.data.map(({ id }) => id));
    expect(body.data.filter(({ id }: { id: string }) => ids.has(id)).map(plain), path).toEqual(
      answered.data.map(plain),
    );
  }
  const usage = `/accounts/${shop.id}/usage`;
  expect(answers.get(usage, new URLSearchParams())).toEqual({ data: (await emulator.control('GET', usage)).body.data });
  const summary = (await emulator.control('GET', `${usage}/summary`)).body;
  expect(answers.get(`${usage}/summary`, new URLSearchParams())).toMatchObject({ total: summary.total });
  const id = song.headers.get('x-request-id') ?? '';
  const { body: drawn } = await emulator.control('GET', `/trail/${id}`);
  const traced = answers.get(`/trail/${id}`, new URLSearchParams()) as typeof drawn;
  expect(traced.steps).toEqual(drawn.steps);
  expect({ ...traced.line, todo: null }).toEqual({ ...drawn.line, todo: null });
});

/** Signed anew at each answer, and so never the same twice. */
function plain({ url, thumbnail_url, result_url, ...row }: Record<string, unknown>): object {
  return row;
}

it('shows jobs, money and the order as they stood before the take failed', async () => {
  const answers = new TraceAnswers(trace);
  const id = song.headers.get('x-request-id') ?? '';
  const lost = marksOf(trace).find(({ kind }) => kind === 'failure');
  expect(lost?.text).toContain('take 2 of');
  answers.moment = (lost?.at ?? 0) - 1;
  const job = answers.get(`/jobs/${failing.id}`, new URLSearchParams());
  expect(job).toMatchObject({ status: expect.stringMatching(/queued|processing/) });
  expect(job).not.toHaveProperty('error');
  const [balance] = (answers.get('/accounts', new URLSearchParams()) as { data: { id: string; credits: number }[] })
    .data;
  expect(balance).toMatchObject({ id: shop.id, credits: 1000 - 1 - 6 });
  const before = answers.get(`/trail/${id}`, new URLSearchParams());
  expect(before).toMatchObject({ line: { status: { money: { charged: 6, back: 0 } }, time: { is_open: true } } });
  answers.moment = trace.head.span.ended;
  const after = answers.get(`/trail/${id}`, new URLSearchParams());
  expect(after).toMatchObject({ line: { status: { money: { charged: 6, back: 3 } }, time: { is_open: false } } });
  answers.moment = trace.head.span.began - 1;
  expect(answers.get(`/trail/${id}`, new URLSearchParams())).toBeUndefined();
  expect(answers.requests()).toEqual([]);
  expect(await shop.ledger()).toEqual(['grant 50', 'top_up 950', 'charge -1', 'charge -3', 'charge -3', 'refund 3']);
});

it('brings back what was deleted, for as long as it stood', async () => {
  const own = await world();
  const account = await own.account();
  const rule = (await own.control('POST', '/faults', { match: { account_id: account.id }, effect: { status: 503 } }))
    .body;
  await own.control('DELETE', `/faults/${rule.id}`);
  await account.get('/account');
  const trace = recordIn(await traceOf(own));
  const answers = new TraceAnswers(trace);
  const rules = () => (answers.get('/faults', new URLSearchParams()) as { data: { id: string }[] }).data;
  expect(rules()).toEqual([]);
  const gone = trace.tables.acts.find(({ kind, ref }) => kind === 'deletion' && ref === rule.id);
  answers.moment = (gone?.at ?? 0) - 0.5;
  expect(rules()).toEqual([expect.objectContaining({ id: rule.id, strikes: 0 })]);
  answers.moment = 1;
  expect(rules()).toEqual([]);
});

it('knows at each moment of each file, receiver, flow and thing that was there, deleted or not', async () => {
  const own = await world();
  const account = await own.account({ credits: 100 });
  const endpoint = { url: 'http://127.0.0.1:9/x', events: ['image.generation.succeeded'] };
  const of = { workspace_id: account.workspaceId };
  const made = async (path: string, body: object) => (await own.control('POST', path, body)).body.id as string;
  const steps = [{ nodeId: 'words', type: 'text', params: { prompt: 'A few words.' } }];
  const flow = await made('/flows', { ...of, name: 'Daily', steps });
  const we = (await account.post('/webhooks', endpoint)).body.id;
  await account.post('/images/generations', { prompt: 'a blue mug' });
  const [render] = await account.library();
  const stood = Date.now();
  await account.get('/account');
  for (const path of [`/flows/${flow}`, `/endpoints/${we}`, `/library/${render?.id}`])
    await own.control('DELETE', path);
  await account.get('/account');
  const answers = new TraceAnswers(recordIn(await traceOf(own, { account_id: account.id })));
  const paths = ['/flows', '/endpoints', '/library'];
  const counts = () =>
    paths.map((path) => (answers.get(path, new URLSearchParams()) as { data: object[] }).data.length);
  expect(counts()).toEqual([0, 0, 0]);
  answers.moment = stood;
  expect(counts()).toEqual([1, 1, 1]);
  answers.moment = 1;
  expect(counts()).toEqual([0, 0, 0]);
});

it('follows both clocks, moved and frozen', async () => {
  const own = await world();
  const account = await own.account();
  await account.get('/account');
  await own.control('PUT', '/clock', { frozen: true });
  await own.advance(8 * 86_400);
  await account.get('/account');
  const trace = recordIn(await traceOf(own));
  const answers = new TraceAnswers(trace);
  expect(answers.get('/clock', new URLSearchParams())).toMatchObject({ frozen: true });
  const { now } = answers.emulated();
  expect(Math.round((now - trace.head.span.ended) / 86_400_000)).toBe(8);
  answers.moment = trace.tables.requests[0]?.began ?? 0;
  const before = answers.emulated();
  expect(before.runs).toBe(true);
  // Both clocks are rounded to a millisecond.
  expect(Math.abs(before.now - answers.moment)).toBeLessThanOrEqual(1);
});

it('reads the names of tests, and which failed, out of the output of a run', () => {
  expect(testsOf(trace)).toMatchObject([
    { name: 'answers a chat', failed: false },
    { name: 'refunds a failed take', failed: true },
  ]);
});

const BOTH: [name: string, failed: boolean][] = [
  ['adds', false],
  ['subtracts', true],
];
const PRINTED: [runner: string, lines: string[], read: [name: string, failed: boolean][]][] = [
  ['TAP and Vitest', ['ok 1 - adds', 'not ok 2 - subtracts', ' ✓ src/a.test.ts (3 tests) 12ms', 'hello'], BOTH],
  ['Vitest', [' ✓ adds 3ms', ' × subtracts 5ms', ' FAIL  a.test.js > subtracts'], BOTH],
  ['Jest', ['  ✓ adds (3 ms)', '  ✕ subtracts (5 ms)'], BOTH],
  ['Jest at its end', ['  ✓ adds (3 ms)', '  ● subtracts'], BOTH],
  ["Node's own runner", ['✔ adds (3.1ms)', '✖ subtracts (5.2ms)', '✖ failing tests:', '✖ subtracts (5.2ms)'], BOTH],
  [
    'Playwright',
    [
      '  ✓  1 a.spec.js:3:1 › adds (3ms)',
      '  ✘  2 a.spec.js:6:1 › subtracts (5ms)',
      '  1) a.spec.js:6:1 › subtracts ───',
    ],
    BOTH,
  ],
  ["Playwright's one line", ['  ✓  1 a.spec.js:3:1 › adds (3ms)', '  1) a.spec.js:6:1 › subtracts ────────'], BOTH],
  ['pytest in dots', ['FAILED test_a.py::test_subtracts - assert 1 == 2'], [['test_a.py::test_subtracts', true]]],
  [
    'pytest in a list',
    ['test_a.py::test_adds PASSED   [ 50%]', 'test_a.py::test_subtracts FAILED   [100%]'],
    [
      ['test_a.py::test_adds', false],
      ['test_a.py::test_subtracts', true],
    ],
  ],
];

it.each(PRINTED)('reads the names of tests, and which failed, out of what %s prints', (_, lines, read) => {
  const output = lines.map((text, n) => ({ at: trace.head.span.began + n, from: 'out' as const, text }));
  expect(testsOf({ ...trace, output }).map(({ name, failed }) => [name, failed])).toEqual(read);
});

it('lays tests that were reported at once one after another, as long as each took', () => {
  const span = { began: 1000, ended: 11_000 };
  const lines: [number, string][] = [
    [2000, '✓ waits 500ms'],
    [10_000, '✓ sells 3000ms'],
    [10_001, '✕ refunds 2000 ms'],
    [10_002, ' FAIL  a.spec.js > refunds'],
  ];
  const output = lines.map(([at, text]) => ({ at, from: 'out' as const, text }));
  expect(testsOf({ ...trace, head: { ...trace.head, span }, output })).toEqual([
    { name: 'waits', from: 1500, to: 2000, failed: false },
    { name: 'sells', from: 5001, to: 8001, failed: false },
    { name: 'refunds', from: 8001, to: 10_001, failed: true },
  ]);
});

it('masks keys, signing secrets, bearer values, hooks and the values it is given, wherever they stand', async () => {
  const own = await world();
  const account = await own.account();
  const secret = 'hunter2"quoted\\secret';
  const endpoint = (
    await account.post('/webhooks', { url: 'http://127.0.0.1:9/x', events: ['image.generation.failed'] })
  ).body;
  await account.post('/chat/completions', {
    model: 'svc-rp-mini',
    messages: [
      { role: 'system', content: secret },
      { role: 'user', content: 'Hello.' },
    ],
  });
  const output = [
    { at: Date.now(), from: 'out', text: `authorization: Bearer abcdef123456 and ${account.key}` },
    { at: Date.now(), from: 'err', text: `${secret} ${endpoint.secret}` },
  ];
  const html = await traceOf(own, { title: `run --password ${secret}`, output, secrets: [secret] });
  const text = JSON.stringify(recordIn(html));
  for (const word of ['hunter2', 'abcdef123456', account.key, endpoint.secret]) expect(text).not.toContain(word);
  expect(recordIn(html).output[0]?.text).toBe('authorization: Bearer … and svc_sk_…');
  expect(recordIn(html).head.title).toBe('run --password …');
});

it('masks a secret however it is spelled, a short one as a word of its own, and no number of the record', async () => {
  const own = await world();
  const account = await own.account();
  const secret = 'hunter2"ä\\key/💥 +x';
  const escaped = [...Array(secret.length).keys()].map(
    (at) => `\\u${secret.charCodeAt(at).toString(16).padStart(4, '0')}`,
  );
  const spelled = [
    ...[escaped.join(''), JSON.stringify(JSON.stringify(secret)), encodeURIComponent(secret)],
    ...[`${new URLSearchParams({ q: secret })}`, ...['', 'a', 'ab'].map((user) => btoaOf(`${user}${secret}`))],
  ];
  for (const content of spelled) {
    await account.post('/chat/completions', { model: 'svc-rp-mini', messages: [{ role: 'user', content }] });
  }
  const text = `${'x'.repeat(3996)} ${secret} pin9 pin99`;
  const output = [
    { at: Date.now(), from: 'out', text },
    ...spelled.map((each) => ({ at: Date.now(), from: 'err', text: each })),
  ];
  const digits = String(Date.now()).slice(0, 6);
  const trace = recordIn(await traceOf(own, { output, title: 'a pin9 of pin99', secrets: [secret, 'pin9', digits] }));
  expect(trace.output[0]?.text).toBe(`${'x'.repeat(3996)} … …`);
  const others = trace.output.slice(1).map((line) => line.text);
  expect(others.join(' ')).not.toMatch(/hunter2|u0068|aHVudGVyM|h1bnRlcj|odW50ZXIy/);
  expect(trace.head.title).toBe('a … of pin99');
  const kept = JSON.stringify(trace.tables.requests.map(({ request }) => request));
  expect(kept).not.toMatch(/hunter2|u0068|aHVudGVyM|h1bnRlcj|odW50ZXIy/);
  expect(trace.tables.requests).toHaveLength(spelled.length);
  expect(trace.tables.requests.every(({ began }) => String(began).startsWith(digits))).toBe(true);
});

it('masks what is too short to be found anywhere beside the name of its variable', async () => {
  const secrets = secretValues({ PIN_TOKEN: '7', USE_KEYS: 'true', SSH_KEY: 'begin-key\n\n=end', HOME: '/root' });
  expect(secrets).toEqual(expect.arrayContaining(['begin-key', '=end', 'PIN_TOKEN=7', '"USE_KEYS":"true"']));
  const text = 'PIN_TOKEN=7 7 apples; PIN_TOKEN: "7"; {"USE_KEYS":"true"} true; begin-key /root';
  const html = await traceOf(emulator, { output: [{ at: Date.now(), from: 'out', text }], secrets });
  expect(recordIn(html).output[0]?.text).toBe('… 7 apples; …; {…} true; … /root');
});

const btoaOf = (text: string) => Buffer.from(text).toString('base64');

it('finds what the search of the service finds, by its own words', async () => {
  const answers = new TraceAnswers(trace);
  const id = song.headers.get('x-request-id');
  const minute = new Date(trace.head.span.began - 60_000).toISOString();
  const searches = ['waltz', 'has:refund', 'has:job', 'is:failed', 'took:<1h', `account:${shop.id}`, `after:${minute}`];
  for (const q of searches) {
    const query = new URLSearchParams({ q, account_id: shop.id });
    const found: { id: string }[] = (await emulator.control('GET', `/orders?${query}`)).body.data;
    const answered = answers.get('/orders', new URLSearchParams({ q })) as { data: { id: string }[] };
    const ids = answered.data.map((each) => each.id);
    expect(ids, q).toEqual(found.map((each) => each.id));
    expect(ids, q).toContain(id);
  }
  const none = answers.get('/orders', new URLSearchParams({ q: 'after:2999-01-01' })) as { data: object[] };
  expect(none.data).toEqual([]);
});

it('keeps of each kind of row the newest there is room for, and knows of which there were more', () => {
  const newest = new NewestRows(2);
  const read = (rows: number[]) => rows.slice(0, newest.limit);
  expect(newest.keep('jobs', read([2, 1]))).toEqual([2, 1]);
  expect(newest.cut).toEqual([]);
  expect(newest.keep('events', read([4, 3, 2, 1]))).toEqual([4, 3]);
  expect(newest.keep('events', read([3, 2, 1]))).toEqual([3, 2]);
  expect(newest.cut).toEqual(['events']);
  expect(trace.head.leftOut).toEqual({ requests: 0, files: 0 });
});

it('is written of a run with no request, and refuses what it does not know', async () => {
  const own = await world();
  const { head, tables } = recordIn(await traceOf(own));
  expect(tables.requests).toEqual([]);
  expect(head.span.began).toBeLessThan(head.span.ended);
  const page = await own.call('GET', '/_emulator/trace');
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect((await own.control('POST', '/trace', { titel: 'x' })).body.error.param).toBe('titel');
  expect((await own.control('GET', '/trace?media=huge')).status).toBe(400);
});
