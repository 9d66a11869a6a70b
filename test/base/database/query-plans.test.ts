import { statSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readConfig } from '../../../src/base/config/config.ts';
import { openSqlite, type SqliteDatabase } from '../../../src/base/database/open-sqlite.ts';
import { startEmulator } from '../../../src/emulator.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { recordExamples } from '../../control/openapi/example-story.ts';
import { SHARED_RENDERS, World } from '../../support/world.ts';

/** Tables that grow with use. The others are small, because people add their rows by hand. */
const GROWING = new Set([
  ...[
    'ledger',
    'orders',
    'jobs',
    'objects',
    'library',
    'events',
    'deliveries',
    'runs',
    'run_steps',
    'files',
    'pictures',
  ],
  ...['usage_days', 'requests', 'audit'],
]);

/** Partial indexes of few rows: open work and faulty deliveries. Only `files_by_use` has every render; a start scans it. */
const SHORT = [
  'jobs_open',
  'jobs_queued',
  'jobs_queued_of_calls',
  'deliveries_open',
  'deliveries_with_fault',
  'runs_queue',
  'files_by_use',
];

/** Sorts of few rows that an index found: one page, or the usage days of one account. */
const FEW = [
  /UNION ALL SELECT position FROM deliveries WHERE duration_ms/,
  / IN \(SELECT value FROM json_each\(\?\)\)/,
  /FROM usage_days WHERE account_id = \?/,
];

/** Every statement that is prepared during `work`, by the name of its database file. */
async function statementsOf(work: () => Promise<void>): Promise<Map<string, Set<string>>> {
  const seen = new Map<string, Set<string>>();
  const one = openSqlite(':memory:');
  const driver: SqliteDatabase = Object.getPrototypeOf(one);
  one.close();
  const { prepare } = driver;
  driver.prepare = function noting(this: SqliteDatabase, sql: string) {
    const { file } = Reflect.apply(prepare, this, ['SELECT file FROM pragma_database_list']).get() as { file: string };
    const name = path.basename(file);
    const known = seen.get(name) ?? new Set();
    seen.set(name, known.add(sql));
    return Reflect.apply(prepare, this, [sql]);
  };
  try {
    await work();
  } finally {
    driver.prepare = prepare;
  }
  return seen;
}

/** A start runs these once. The test also skips `GLOB`, with which a start checks the names of files. */
const AT_START = [
  'SELECT 1 FROM requests WHERE NOT json_valid(record)',
  'SELECT COUNT(*) AS rows, COALESCE(SUM(bytes), 0) AS bytes FROM requests',
  'SELECT COUNT(*) AS n FROM audit',
];

/** Steps of the plan that take longer the more rows there are: scans of growing tables, and sorts. */
function faultsOf(db: SqliteDatabase, sql: string): string[] {
  const names = new Map([...sql.matchAll(/\b(?:FROM|JOIN|UPDATE|INTO)\s+(\w+)(?:\s+(?:AS\s+)?(\w+))?/g)].map(namesOf));
  const values = Array.from({ length: sql.split('?').length - 1 }, () => null);
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
  const grows = [...names.values()].some((name) => GROWING.has(name));
  return plan.flatMap(({ detail }) => {
    const [, scanned = '', index = ''] = /^SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?/.exec(detail) ?? [];
    const isLong = GROWING.has(names.get(scanned) ?? scanned) && !SHORT.includes(index);
    const isSort = grows && detail.includes('TEMP B-TREE') && !FEW.some((few) => few.test(sql));
    return isLong || isSort ? [`${detail}: ${sql.replace(/\s+/g, ' ')}`] : [];
  });
}

/** The name that the plan uses for a table, and the table's own name. */
function namesOf([, table = '', alias]: RegExpMatchArray): [string, string] {
  const isAlias =
    alias !== undefined && !/^(?:WHERE|JOIN|LEFT|CROSS|ON|ORDER|GROUP|SET|VALUES|LIMIT|USING)$/i.test(alias);
  return [isAlias ? alias : table, table];
}

/** Requests that the example story does not make. */
const QUESTIONS = [
  ...['invariants', 'verdict', 'requests?status=4xx', 'requests?status=402&operation=getSong', 'requests?text=x'],
  ...['record', 'record?kind=write', 'record?ref=x', 'record?since=2020-01-01T00:00:00Z'],
  ...['requests?path=/v1&since=2020-01-01T00:00:00Z', 'jobs?status=failed', 'events', 'deliveries', 'library?q=sea'],
  ...['jobs?status=open', 'jobs?status=succeeded', 'deliveries?status=failed', 'deliveries?status=due'],
];

it('handles the example requests without a scan or sort of a whole table that grows with use, except when it starts', async () => {
  const folder = emptyFolder();
  const seen = await statementsOf(async () => {
    const emulator = await startEmulator(
      readConfig({ port: 0, dataDir: folder, log: 'silent', warm: false }, {}),
      SHARED_RENDERS,
    );
    await recordExamples(new World(emulator));
    const { data } = (await (await fetch(`${emulator.url}/_emulator/accounts`)).json()) as { data: { id: string }[] };
    for (const type of ['charge', 'refund']) QUESTIONS.push(`accounts/${data[0]?.id}/usage?type=${type}`);
    for (const question of QUESTIONS) await (await fetch(`${emulator.url}/_emulator/${question}`)).arrayBuffer();
    await emulator.close();
  });
  // Other emulators of this process have their databases in memory or in other folders.
  const here = [...seen].filter(([name]) => statSync(path.join(folder, name), { throwIfNoEntry: false })?.isFile());
  expect(here.length).toBeGreaterThan(1);
  const faults = here.flatMap(([name, statements]) => {
    const db = openSqlite(path.join(folder, name));
    const asked = [...statements].filter(
      (sql) => !AT_START.some((each) => sql.startsWith(each)) && !sql.includes(' GLOB '),
    );
    const known = asked.filter((sql) => /^\s*(?:SELECT|WITH|UPDATE|DELETE|INSERT)\b/i.test(sql));
    expect(known.length).toBeGreaterThan(4);
    return known.flatMap((sql) => faultsOf(db, sql).map((fault) => `${name}: ${fault}`));
  });
  expect(faults).toEqual([]);
});
