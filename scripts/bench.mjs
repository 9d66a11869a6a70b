// Bundles the bench and runs it: `npm run bench`, or `npm run bench -- chat memory`.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { bundleForNode, dist, root } from './built-files.mjs';

const folder = await mkdtemp(path.join(dist, '.bench-'));
const bench = await bundleForNode('test/bench/bench.ts', path.join(folder, 'bench.mjs'));
const child = spawn(process.execPath, [bench, ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' });
child.on('exit', async (code) => {
  await rm(folder, { recursive: true, force: true });
  process.exitCode = code ?? 1;
});
