import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readPage } from './follow-page.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

/** The files that the page writes: each block begins with the name of its own. */
const FILES = [...readPage('docs/testing.md').matchAll(/^```ts\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)];

it('passes the suites that the page of testing shows', { timeout: 180_000 }, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'page-suite-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(path.join(folder, 'node_modules'));
  for (const name of ['vitest', 'openai']) {
    symlinkSync(path.join(ROOT, 'node_modules', name), path.join(folder, 'node_modules', name));
  }
  symlinkSync(ROOT, path.join(folder, 'node_modules', 'svc-emulator'));
  for (const [, name = '', code = ''] of FILES) writeFileSync(path.join(folder, name), code);

  expect(FILES.map(([, name]) => name)).toEqual(['orders.test.ts', 'expiry.test.ts']);
  expect(await passed(folder)).toMatchObject({ numFailedTests: 0, numPassedTests: 5 });
});

function passed(folder: string): Promise<object> {
  const vitest = path.join(ROOT, 'node_modules/vitest/vitest.mjs');
  const line = [vitest, 'run', '--root', folder, '--reporter', 'json', '--testTimeout', '60000'];
  const { SVC_BASE_URL: _, ...env } = process.env;
  return new Promise((resolve) => {
    execFile(process.execPath, line, { env, cwd: folder }, (_error, stdout) =>
      resolve(JSON.parse(stdout.slice(stdout.indexOf('{')))),
    );
  });
}
