import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { emptyFolder } from '../cli/spawned-program.ts';

const READER = fileURLToPath(new URL('../../dist/sql-reader.js', import.meta.url));

/** Runs what standard input orders, and tells on standard error the most memory that it took: KiB. */
const MEASURE = `
import resource, subprocess, sys
subprocess.run(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
`;

/** What the process that reads answers, and how much memory it took at most. */
function read(sql: string): { report: unknown; peak: number } {
  const file = path.join(emptyFolder(), 'world.db');
  new Sqlite(file).exec('CREATE TABLE secrets (value TEXT)').close();
  const order = { sql, params: [], file, mostRows: 10, mostBytes: 1000 };
  const { stdout, stderr } = spawnSync('python3', ['-c', MEASURE, process.execPath, READER], {
    input: JSON.stringify(order),
    encoding: 'utf8',
  });
  return { report: JSON.parse(stdout), peak: Number(stderr) };
}

it.runIf(process.platform === 'linux')(
  'ends a statement whose value is a giant before it has taken 64 MiB [I232]',
  () => {
    const small = read('SELECT 1 AS text');
    expect(small.report).toEqual({ columns: ['text'], rows: [{ text: 1 }], truncated: false });
    const giant = read("SELECT 'a' AS text UNION ALL SELECT hex(zeroblob(200000000))");
    expect(giant.report).toEqual({ columns: ['text'], rows: [], truncated: true });
    expect(giant.peak - small.peak).toBeGreaterThan(0);
    expect(giant.peak - small.peak).toBeLessThan(64 * 1024);
  },
);
