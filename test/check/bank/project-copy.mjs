// The projects of the bank: applications with a suite of their own, written from the docs. Each has planted bugs as patches.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const projects = fileURLToPath(new URL('projects', import.meta.url));

const VITEST = ['node', 'node_modules/vitest/vitest.mjs', 'run'];
const NODE_TEST = ['node', '--test'];

/** The command that runs the tests of each project. */
export const PROJECTS = {
  'wake-up': VITEST,
  nightly: VITEST,
  stream: VITEST,
  polling: NODE_TEST,
  queue: NODE_TEST,
  python: ['python3', '-m', 'pytest', '-q'],
};

const PACKAGES = ['vitest', 'openai', 'express', 'stripe', 'better-sqlite3', 'ai', '@ai-sdk'];

/** The names of the planted bugs of a project. */
export const bugsOf = (name) =>
  readdirSync(path.join(projects, name, 'bugs')).map((file) => path.basename(file, '.patch'));

/** Writes a project into a folder, with the given patches of its own: `bugs/NAME.patch` or `fixes/NAME.patch`. */
export function copyProject(name, folder, patches = []) {
  cpSync(path.join(projects, name), folder, { recursive: true });
  const modules = path.join(folder, 'node_modules');
  mkdirSync(modules);
  symlinkSync(root, path.join(modules, 'svc-emulator'));
  for (const each of PACKAGES) symlinkSync(path.join(root, 'node_modules', each), path.join(modules, each));
  cpSync(path.join(root, 'src/client/python/svc_emulator.py'), path.join(folder, 'svc_emulator.py'));
  for (const patch of patches) execFileSync('patch', ['-s', '-p1', '-i', path.join(folder, patch)], { cwd: folder });
}
