// Runs `svc-emulator mutate` over one suite of the bank, in a folder of its own in which its imports resolve.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = path.join(here, '../../../..');
const main = path.join(root, 'dist/main.js');

/** The exit code where nothing was measured. */
const NOTHING = 3;

/** How a suite is run, by the ending of its file. */
const COMMANDS = { mjs: (file) => [process.execPath, file], py: (file) => ['python3', file] };

/** Measures all families of lies, and liberties, unless `options` or `also` say otherwise; answers the JSON report. */
export async function measure(folder, { suite, assertion, options }, also = []) {
  const place = mkdtempSync(path.join(tmpdir(), 'svc-bank-'));
  try {
    const name = assertion === undefined ? suite : 'strong';
    const ending = Object.keys(COMMANDS).find((each) => existsSync(path.join(folder, `${name}.${each}`)));
    const file = `${name}.${ending}`;
    const text = readFileSync(path.join(folder, file), 'utf8');
    mkdirSync(path.join(place, 'suite'));
    mkdirSync(path.join(place, 'node_modules'));
    symlinkSync(root, path.join(place, 'node_modules/svc-emulator'));
    symlinkSync(path.join(here, 'open-app.mjs'), path.join(place, 'open-app.mjs'));
    writeFileSync(path.join(place, 'suite', file), assertion === undefined ? text : without(text, assertion));
    const report = path.join(place, 'report.json');
    const words = ['mutate', '--all', '--trust', '--budget', '0', '--report', report, ...options, ...also];
    const { code, said } = await ended([main, ...words, '--', ...COMMANDS[ending](file)], path.join(place, 'suite'));
    if (code !== 0 && code !== NOTHING) throw new Error(`${suite} ended with ${code}: ${said.slice(-2000)}`);
    return JSON.parse(readFileSync(report, 'utf8'));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** A suite without the one assertion of that name. */
function without(text, assertion) {
  const lines = text.split('\n');
  const left = lines.filter((line) => !line.endsWith(`; // ${assertion}`));
  if (left.length !== lines.length - 1)
    throw new Error(`${lines.length - left.length} assertions are called ${assertion}`);
  return left.join('\n');
}

async function ended(words, cwd) {
  const env = { ...process.env, BANK_APPS: path.join(root, 'test/check/app') };
  const child = spawn(process.execPath, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stdout.on('data', (chunk) => (said += chunk));
  child.stderr.on('data', (chunk) => (said += chunk));
  const code = await new Promise((resolve) => child.once('close', (number, by) => resolve(number ?? by)));
  return { code, said };
}
