import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

const here = import.meta.dirname;
/** Outside of test/, so that nothing that reads the tests reads packages. */
const store = path.join(here, '..', '..', 'node_modules', '.cache', 'tools');
const modules = path.join(store, 'node_modules');
const LOCK = path.join(store, 'package-lock.json');
const DONE = path.join(modules, '.installed');
const OWNER = `${store}.pid`;

/** The folder `node_modules` of the packages that only checks need; installed at the first call, for all processes. */
export async function toolModules() {
  while (!isInstalled()) {
    if (owns()) await install();
    else await setTimeout(200);
  }
  return modules;
}

/** `require` of these packages. */
export async function requireTool(name) {
  return createRequire(path.join(await toolModules(), 'any.js'))(name);
}

function isInstalled() {
  return read(DONE) === wanted();
}

function wanted() {
  return readFileSync(path.join(here, 'package-lock.json'), 'utf8');
}

async function install() {
  try {
    if (isInstalled()) return;
    mkdirSync(store, { recursive: true });
    for (const name of ['package.json', 'package-lock.json']) cpSync(path.join(here, name), path.join(store, name));
    await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund'], { cwd: store });
    cpSync(LOCK, DONE);
  } finally {
    rmSync(OWNER, { force: true });
  }
}

/** Whether this process may install: one at a time, and none that has died keeps the others from it. */
function owns() {
  mkdirSync(path.dirname(OWNER), { recursive: true });
  try {
    writeFileSync(OWNER, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  const owner = Number(read(OWNER));
  if (owner > 0 && !isAlive(owner)) rmSync(OWNER, { force: true });
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
