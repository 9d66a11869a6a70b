// Bundles the bench and runs it: `npm run bench`, or `npm run bench -- chat memory`.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = await mkdtemp(path.join(root, 'dist', '.bench-'));
const outfile = path.join(folder, 'bench.mjs');
await build({
  entryPoints: [path.join(root, 'test/bench/bench.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  logLevel: 'warning',
});
const child = spawn(process.execPath, [outfile, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
child.on('exit', async (code) => {
  await rm(folder, { recursive: true, force: true });
  process.exitCode = code ?? 1;
});
