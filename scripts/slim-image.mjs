// The Dockerfile runs this. It removes files from dist and node_modules that the command line never loads.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { EXTERNAL } from './built-files.mjs';

/** Files for programs that import the package, which the command line does not need. */
const LIBRARY = ['cjs', 'types', 'index.js', 'events.js', 'jest.js', 'node-test.js', 'playwright.js', 'vitest.js'];
const UNREAD = /\.(?:map|md|markdown|d\.[cm]?ts|ts)$/;
const LICENCE = /^(?:licen[cs]e|notice|copying)/i;

for (const name of LIBRARY) rmSync(path.join('dist', name), { recursive: true });

const needed = new Set();
for (const name of EXTERNAL.filter((each) => !each.endsWith('/*'))) need(name);
for (const name of installed()) if (!needed.has(name)) rmSync(path.join('node_modules', name), { recursive: true });
for (const entry of readdirSync('node_modules', { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !UNREAD.test(entry.name) || LICENCE.test(entry.name)) continue;
  rmSync(path.join(entry.parentPath, entry.name));
}

/** Marks a package and its dependencies as needed. */
function need(name) {
  const file = path.join('node_modules', name, 'package.json');
  if (needed.has(name) || !existsSync(file)) return;
  needed.add(name);
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(file, 'utf8'));
  for (const each of Object.keys({ ...dependencies, ...optionalDependencies })) need(each);
}

function installed() {
  const names = readdirSync('node_modules').filter((name) => !name.startsWith('.'));
  return names.flatMap((name) => {
    if (!name.startsWith('@')) return [name];
    return readdirSync(path.join('node_modules', name)).map((each) => `${name}/${each}`);
  });
}
