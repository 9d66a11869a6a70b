import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readPage } from './follow-page.ts';
import { layProgram, ReaderFolder } from './terminal.ts';

const PAGE = readPage('docs/pytest.md');
const STAND_IN = path.join(import.meta.dirname, 'pytest-stand-in.py');
const MAIN = path.join(import.meta.dirname, '..', '..', 'dist', 'main.js');

const hasPython = spawnSync('python3', ['--version']).status === 0;

it.skipIf(!hasPython)('passes the suite that the page of pytest shows, by its command', async () => {
  const folder = new ReaderFolder({ modules: false });
  const bin = path.join(folder.path, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  layProgram(bin, 'svc-emulator', MAIN);
  const hasPytest = await folder.run('python3 -m pytest --version').then(
    () => true,
    () => false,
  );
  if (!hasPytest) copyFileSync(STAND_IN, path.join(folder.path, 'pytest.py'));
  const files = [...PAGE.matchAll(/^```py\n# (\w+\.py)\n([\s\S]*?)^```$/gm)];
  expect(files.map(([, name]) => name)).toEqual(['conftest.py', 'test_orders.py']);
  for (const [, name = '', code = ''] of files) writeFileSync(path.join(folder.path, name), code);
  const [, command = ''] = /^```sh\n([\s\S]*?)^```$/m.exec(PAGE) ?? [];
  expect(await folder.run(command)).toContain('3 passed');
});
