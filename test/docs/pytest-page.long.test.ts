import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { readPage } from './follow-page.ts';
import { namedBlocks } from './page-code.ts';
import { folderWithProgram } from './terminal.ts';

const PAGE = readPage('docs/pytest.md');

const FILES = namedBlocks(PAGE, 'py');
const [CLIENT = '', SUITE = '', EXPLORE = ''] = [...PAGE.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(
  ([, line]) => line ?? '',
);
const FRAMEWORKS = ['flask', 'fastapi'];

/** Prints the folder of the Python that has pytest. `pythons` is empty if there is none. */
const FIND = 'import os, sys, pytest; print(os.path.dirname(sys.executable))';
const pythons = spawnSync('python3', ['-c', FIND], { encoding: 'utf8' }).stdout?.trim() ?? '';
const hasPython = spawnSync('python3', ['--version']).status === 0;
const knows = (module: string) => spawnSync('python3', ['-c', `import ${module}`]).status === 0;
/** The frameworks that are installed here. The suite skips the receivers of the others. */
const known = FRAMEWORKS.filter(knows);
const SERVED = `with receivers in ${known.join(' and ') || 'no framework: none is installed'}`;

const pageFolder = () => folderWithProgram(FILES);

it.skipIf(pythons === '')(`runs the commands of the pytest page, whose suite passes ${SERVED}`, async () => {
  expect(Object.keys(FILES)).toEqual([
    ...['conftest.py', 'test_orders.py', 'flask_receiver.py', 'fastapi_receiver.py'],
    ...['test_receivers.py', 'test_forgery.py', 'test_expiry.py'],
  ]);
  const folder = pageFolder();
  await folder.run(CLIENT);
  const missing = FRAMEWORKS.length - known.length;
  const skipped = missing === 0 ? '' : `, ${missing} skipped`;
  expect(await folder.run(`PATH=${pythons}:$PATH\n${SUITE}`)).toContain(`${5 + known.length} passed${skipped} in `);
});

it.skipIf(pythons === '')(
  'documents a receiver test for pytest that passes `check` with forged, replayed and duplicate deliveries',
  async () => {
    const folder = pageFolder();
    await folder.run(CLIENT);
    expect(await folder.run(`PATH=${pythons}:$PATH\n${EXPLORE}`)).toMatch(/^2 passed, \d+ not tested\n/);
  },
);

it.skipIf(!hasPython).each(FRAMEWORKS)('documents a receiver in %s that compiles', async (framework) => {
  await pageFolder().run(`python3 -W error -m py_compile ${framework}_receiver.py`);
});
