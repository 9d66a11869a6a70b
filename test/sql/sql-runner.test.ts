import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startProgram } from '../cli/spawned-program.ts';
import { CHAT, expectError } from '../support/wire.ts';
import { World, world } from '../support/world.ts';

const emulator = await world();

const query = (sql: string, params?: unknown) =>
  emulator.control('POST', '/sql', { sql, ...(params === undefined ? {} : { params }) });

it('answers rows by column, with parameters by place and by name', async () => {
  const account = await emulator.account();
  await account.post('/chat/completions', CHAT);
  const ledger = 'SELECT type, amount, model FROM ledger WHERE account_id =';
  const rows = [
    { type: 'grant', amount: 50, model: null },
    { type: 'charge', amount: -1, model: 'svc-rp-mini' },
  ];
  for (const answer of [await query(`${ledger} ?`, [account.id]), await query(`${ledger} :id;`, { id: account.id })]) {
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ...{ columns: ['type', 'amount', 'model'], rows, truncated: false },
      duration_ms: expect.any(Number),
    });
  }
});

it('shows numbers, bytes, truth values and two columns of one name as JSON can', async () => {
  const sql = "SELECT 9007199254740993 AS far, x'00ff' AS bytes, 1.5 AS a, ? AS a, ? AS whole";
  const { body } = await query(sql, [true, 3]);
  expect(body.rows).toEqual([{ far: '9007199254740993', bytes: 'AP8=', a: 1.5, a_2: 1, whole: 3 }]);
});

it('counts names of columns, escapes and bytes toward the 4 MiB, while rows are read [I232]', async () => {
  const series = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)';
  const most = 4 * 1_048_576;
  const wide = await query(`${series} SELECT x AS "${'w'.repeat(99_000)}" FROM n LIMIT 1000`);
  expect([wide.status, wide.body.truncated]).toEqual([200, true]);
  expect(wide.bytes.length).toBeLessThanOrEqual(most + 1000);
  const escaped = await query(`${series} SELECT printf('%.*c', 90000, char(1)) AS text FROM n LIMIT 1000`);
  expect(escaped.bytes.length).toBeLessThanOrEqual(most + 1000);
  const giant = await query('SELECT zeroblob(60000000) AS bytes');
  expect([giant.body.rows, giant.body.truncated]).toEqual([[], true]);
});

it.runIf(process.platform === 'linux')('takes no giant value into the memory of the emulator [I232]', async () => {
  const { program, url } = await startProgram(['--ephemeral', '--log', 'silent']);
  const here = new World({ url, controlToken: undefined });
  const peak = () => Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${program.child.pid}/status`, 'utf8'))?.[1]);
  await here.control('POST', '/sql', { sql: 'SELECT 1' });
  const before = peak();
  const { status, body } = await here.control('POST', '/sql', { sql: 'SELECT hex(zeroblob(50000000)) AS text' });
  expect([status, body.rows, body.truncated]).toEqual([200, [], true]);
  expect(before).toBeGreaterThan(0);
  expect(peak() - before).toBeLessThan(64 * 1024);
});

it('answers no more than 1,000 rows and 4 MiB, and says so [I232]', async () => {
  const series = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)';
  const many = await query(`${series} SELECT x FROM n`);
  expect([many.body.rows.length, many.body.truncated]).toEqual([1000, true]);
  const large = await query(`${series} SELECT hex(zeroblob(500000)) AS text FROM n`);
  expect([large.body.rows.length, large.body.truncated]).toEqual([4, true]);
  const exact = await query(`${series} SELECT x FROM n LIMIT 1000`);
  expect([exact.body.rows.length, exact.body.truncated]).toEqual([1000, false]);
});

it.each([
  ["INSERT INTO settings VALUES ('a', 'b')", 'it writes'],
  ["INSERT INTO settings VALUES ('a', 'b') RETURNING name", 'it writes'],
  ['DELETE FROM budgets', 'it writes'],
  ['PRAGMA journal_mode = DELETE', 'it writes'],
  ["ATTACH 'other.db' AS other", 'it answers no rows'],
  ['PRAGMA query_only = OFF', 'it answers no rows'],
  ['BEGIN', 'it answers no rows'],
  ['SELECT 1; SELECT 2', 'more than one statement'],
  ['-- nothing', 'no statements'],
  ['SELEKT 1', 'syntax error'],
  ['SELECT * FROM nowhere', 'no such table'],
  ["SELECT load_extension('x')", 'not authorized'],
  ['SELECT ?', 'Too few parameter'],
])('refuses %j', async (sql, reason) => {
  const { message, param } = expectError(await query(sql), 400, 'invalid_request');
  expect([param, message]).toEqual(['sql', expect.stringContaining(reason)]);
});

it('reads no key material, however it is asked for', async () => {
  const account = await emulator.account();
  const events = ['image.generation.failed'];
  const { body } = await account.post('/webhooks', { url: 'http://127.0.0.1:9/', events });
  const secret = body.secret.slice('whsec_'.length);
  for (const sql of [
    'SELECT value FROM secrets',
    'SELECT count(*) FROM main.secrets',
    'SELECT hex(value) FROM (SELECT * FROM "secrets" AS s)',
    'SELECT (SELECT max(value) FROM secrets) AS x, e.* FROM endpoints e',
    'WITH s AS (SELECT * FROM secrets) SELECT length(value) FROM s',
    '/* */ SELECT 1 WHERE EXISTS (SELECT 1 FROM secrets WHERE value > ?)',
  ]) {
    const answer = await query(sql, sql.includes('?') ? ['whsec_a'] : []);
    const { message } = expectError(answer, 400, 'invalid_request');
    expect([sql, message]).toEqual([sql, expect.stringContaining('key material')]);
  }
  const { body: tables } = await query(
    "SELECT t.name, json_group_array(c.name) AS columns FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name <> 'secrets' GROUP BY t.name",
  );
  expect(tables.rows.length).toBeGreaterThan(20);
  const all = tables.rows.map(({ name, columns }: { name: string; columns: string }) => {
    const text = JSON.parse(columns).map((column: string) => `ifnull(CAST("${column}" AS TEXT), '')`);
    return `SELECT '${name}' AS name, group_concat(${text.join(" || ' ' || ")}) AS text FROM "${name}"`;
  });
  const { body: texts } = await query(all.join(' UNION ALL '));
  expect(texts.rows).toHaveLength(tables.rows.length);
  expect(JSON.stringify(texts.rows)).toContain(account.id);
  for (const { name, text } of texts.rows) {
    expect([name, String(text).includes(secret), String(text).includes(account.key)]).toEqual([name, false, false]);
    expect([name, /whsec_\w/.test(String(text))]).toEqual([name, false]);
  }
  expect((await query('EXPLAIN SELECT value FROM secrets')).status).toBe(200);
});

it('ends what takes too long, and holds nobody up meanwhile', async () => {
  const account = await emulator.account();
  const endless = query('WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n');
  let answered = 0;
  let isOver = false;
  const over = endless.then(() => {
    isOver = true;
  });
  while (!isOver) {
    expect((await account.post('/chat/completions', { ...CHAT, model: 'none' })).status).toBe(404);
    answered += 1;
  }
  await over;
  const { message } = expectError(await endless, 400, 'invalid_request');
  expect(message).toContain('within 2 s');
  expect(answered).toBeGreaterThan(10);
});

it('ends at a reset, which it does not keep from going on', async () => {
  const here = await world();
  const sql = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n';
  const endless = Promise.all([1, 2, 3].map(() => here.control('POST', '/sql', { sql })));
  await here.control('POST', '/sql', { sql: 'SELECT 1' }).catch(() => undefined);
  expect((await here.control('POST', '/reset')).status).toBe(204);
  for (const { status } of await endless) expect([400, 502]).toContain(status);
  const { body } = await here.control('POST', '/sql', {
    sql: 'SELECT count(*) AS n FROM accounts',
  });
  expect(body.rows).toEqual([{ n: 1 }]);
  expect(await here.invariants()).toMatchObject({ ok: true });
});

it.each([
  [{ sql: '' }, 'sql'],
  [{ params: [] }, 'sql'],
  [{ sql: 'SELECT 1', params: 'x' }, 'params'],
  [{ sql: 'SELECT 1', params: [[]] }, 'params.0'],
])('refuses the body %j, naming the field', async (body, param) => {
  const answer = await emulator.control('POST', '/sql', body);
  expect(expectError(answer, 400, 'invalid_request').param).toBe(param);
});
