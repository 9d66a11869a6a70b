import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readPage } from './follow-page.ts';
import { layProgram, ReaderFolder } from './terminal.ts';

const PAGE = readPage('docs/pytest.md');
const MAIN = path.join(import.meta.dirname, '..', '..', 'dist', 'main.js');

/** Where the Python is that knows pytest; empty where there is none. */
const FIND = 'import os, sys, pytest; print(os.path.dirname(sys.executable))';
const pythons = spawnSync('python3', ['-c', FIND], { encoding: 'utf8' }).stdout?.trim() ?? '';

it.skipIf(pythons === '')('passes the suite that the page of pytest shows, by its commands', async () => {
  const folder = new ReaderFolder({ modules: false });
  const bin = path.join(folder.path, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  layProgram(bin, 'svc-emulator', MAIN);
  const files = [...PAGE.matchAll(/^```py\n# (\w+\.py)\n([\s\S]*?)^```$/gm)];
  expect(files.map(([, name]) => name)).toEqual(['conftest.py', 'test_orders.py', 'test_expiry.py']);
  for (const [, name = '', code = ''] of files) writeFileSync(path.join(folder.path, name), code);
  const [client = '', suite = ''] = [...PAGE.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, line]) => line ?? '');
  await folder.run(client);
  expect(await folder.run(`PATH=${pythons}:$PATH\n${suite}`)).toContain('5 passed');
});
