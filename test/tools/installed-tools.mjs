import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

const here = import.meta.dirname;
const SETS = { gate: here, long: path.join(here, 'long') };
/** Outside test/, so that scripts that read the tests do not read packages. */
const stores = path.join(here, '..', '..', 'node_modules', '.cache', 'tools');

/** The `node_modules` folder of one set of packages. The first call installs it for all processes. */
export async function toolModules(set = 'gate') {
  const store = path.join(stores, set);
  while (!isInstalled(set, store)) {
    if (owns(`${store}.pid`)) await install(set, store);
    else await setTimeout(200);
  }
  return path.join(store, 'node_modules');
}

/** `require` of the packages of one set. */
export async function requireTool(name, set = 'gate') {
  return createRequire(path.join(await toolModules(set), 'any.js'))(name);
}

const markOf = (store) => path.join(store, 'node_modules', '.installed');

function isInstalled(set, store) {
  return read(markOf(store)) === readFileSync(path.join(SETS[set], 'package-lock.json'), 'utf8');
}

async function install(set, store) {
  try {
    if (isInstalled(set, store)) return;
    mkdirSync(store, { recursive: true });
    for (const name of ['package.json', 'package-lock.json'])
      cpSync(path.join(SETS[set], name), path.join(store, name));
    await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund'], { cwd: store });
    cpSync(path.join(store, 'package-lock.json'), markOf(store));
  } finally {
    rmSync(`${store}.pid`, { force: true });
  }
}

/** Whether this process may install. Only one may at a time, and the lock of a dead process is removed. */
function owns(file) {
  mkdirSync(path.dirname(file), { recursive: true });
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  const owner = Number(read(file));
  if (owner > 0 && !isAlive(owner)) rmSync(file, { force: true });
  return false;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
