import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BenchRow, medians } from './bench-row.ts';

const TESTS = 200;
const ROUNDS = 5;
const VITEST = path.resolve('node_modules/vitest/vitest.mjs');

/** The tests of a suite, which differ only in `account` and in how they check what was spent. */
const suiteOf = (head: string, spent: string) => `import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';
${head}
let began;
beforeAll(() => { began = performance.now(); });
for (let n = 0; n < ${TESTS}; n += 1) {
  test('chat ' + n, async ({ emulator, account }) => {
    const response = await fetch(emulator.url + '/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: 'Bearer ' + account.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hello ' + n }] }),
    });
    expect((await response.json()).choices).toHaveLength(1);
    ${spent}
  });
}
afterAll(() => writeFileSync('took.txt', String(performance.now() - began)));
`;

const OURS = suiteOf(
  "import { test } from 'svc-emulator/vitest';",
  'await expect(account).toHaveSpent({ credits: 1 });',
);

/** What anybody would write: a server in the process, which counts its calls by key. */
const STUB = suiteOf(
  `import { createServer } from 'node:http';
import { test as plain } from 'vitest';
const calls = new Map();
const server = createServer((request, response) => {
  const { authorization } = request.headers;
  calls.set(authorization, (calls.get(authorization) ?? 0) + 1);
  response.setHeader('content-type', 'application/json');
  request.resume().on('end', () => response.end(JSON.stringify({ choices: [{ message: { content: 'Hello.' } }] })));
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const test = plain.extend({
  emulator: { url: 'http://127.0.0.1:' + server.address().port },
  account: async ({ task }, use) => use({ apiKey: task.name }),
});`,
  "expect(calls.get('Bearer ' + account.apiKey)).toBe(1);",
);

/** What a test costs more than with the stub, in milliseconds: one file of Vitest, from its first test to its last. */
export async function suiteBench(): Promise<BenchRow[]> {
  // Vitest finds no tests below a folder `node_modules`.
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-bench-'));
  try {
    install(folder);
    writeFileSync(path.join(folder, 'ours.test.js'), OURS);
    writeFileSync(path.join(folder, 'stub.test.js'), STUB);
    const acts = { ours: () => timeTests(folder, 'ours'), theirs: () => timeTests(folder, 'stub') };
    const { ours, theirs } = await medians(acts, ROUNDS);
    const name = 'ms that a Vitest test with account, chat and toHaveSpent adds';
    const ratio = (ours - theirs) / TESTS;
    return [{ name, ours: `${ours.toFixed(0)} ms`, theirs: `${theirs.toFixed(0)} ms`, ratio, bar: '<= 4' }];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A copy, as npm makes it: Vitest transforms the files of a linked package. */
function install(folder: string): void {
  const modules = path.join(folder, 'node_modules');
  const own = path.join(modules, 'svc-emulator');
  mkdirSync(own, { recursive: true });
  for (const each of ['dist', 'package.json', 'fixtures', 'src/base/database/schema.sql']) {
    cpSync(path.resolve(each), path.join(own, each), { recursive: true });
  }
  for (const each of readdirSync(path.resolve('node_modules'))) {
    if (each !== 'svc-emulator') symlinkSync(path.resolve('node_modules', each), path.join(modules, each));
  }
}

function timeTests(folder: string, name: string): number {
  const line = [VITEST, 'run', '--root', folder, '--testTimeout=60000', `${name}.test.js`];
  const { status, stdout } = spawnSync(process.execPath, line, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`The tests of ${name} failed: ${stdout}`);
  return Number(readFileSync(path.join(folder, 'took.txt'), 'utf8'));
}
