// How an application of the bank is explored: in this process, and, where it has one of its own to be killed, as a command.
// `node bank-forms.mjs APP FILE OPTIONS` explores one copy and prints the report: a search beside another one can be ended so.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExploreFindings, explore } from '../../../dist/index.js';
import { storyOf } from './in-process.mjs';

const self = fileURLToPath(import.meta.url);
const here = path.dirname(self);
const main = path.join(here, '../../..', 'dist/main.js');

/** Each application; one that lives in a process of its own is killed as well. */
export const APPS = {
  shop: (file) => [
    ...['--start', `node '${file}'`, '--ready', 'http://127.0.0.1:{port}/ready', '--only', 'kill'],
    ...['--probe', `node '${path.join(here, 'shop/probe.mjs')}'`, '--', `node '${path.join(here, 'shop/story.mjs')}'`],
  ],
  cards: (file) => [
    ...['--start', `python3 '${file}'`, '--ready', 'http://127.0.0.1:{port}/state'],
    // A picture whose answer was lost is found again by its event, so a loss is the app's own; only without credits there is none.
    ...['--strict-spend', '--expect-failure', 'empty_balance'],
    ...[
      '--probe',
      `node '${path.join(here, 'shop/probe.mjs')}'`,
      '--',
      `python3 '${path.join(here, 'cards/story.py')}'`,
    ],
  ],
  chat: undefined,
  batch: undefined,
  publisher: undefined,
};

/** Where runs keep their files: in memory where the system has that, as databases wait for disks. Gone with the bank. */
const MEMORY = '/dev/shm';
if (existsSync(MEMORY) && !tmpdir().startsWith(MEMORY)) {
  process.env.TMPDIR = mkdtempSync(path.join(MEMORY, 'svc-bank-'));
  const { TMPDIR } = process.env;
  process.once('exit', () => rmSync(TMPDIR, { recursive: true, force: true }));
}

/** Explores a copy in this process; answers the report, found or not. */
export async function exploreHere(app, file, options) {
  const { story, probe, check } = storyOf(file, await import(`./${app}/story.mjs`));
  try {
    return await explore(story, { probe, check, beyondContract: true, noSaved: true, ...options });
  } catch (error) {
    if (error instanceof ExploreFindings) return error.report;
    throw error;
  }
}

/** The same in a process of its own, which `signal` ends. */
async function exploreBeside(app, file, { options, signal }) {
  const { code, out, said } = await ended([self, app, file, JSON.stringify(options)], signal);
  if (signal.aborted) return undefined;
  if (code !== 0) throw new Error(`exit ${code}: ${said.slice(-300)}`);
  return JSON.parse(out);
}

/** Runs `svc-emulator explore` with a copy as its app; answers its exit code and report. */
export async function exploreCommand(app, file, { options, signal, nice }) {
  const report = path.join(tmpdir(), `report-${process.pid}-${Math.random().toString(36).slice(2)}.json`);
  const { code, said } = await ended(
    [main, 'explore', '--no-saved', '--report', report, ...options, ...APPS[app](file)],
    signal,
    nice,
  );
  if (signal?.aborted) return { code };
  if (code !== 0 && code !== 1) throw new Error(`exit ${code}: ${said.slice(-300)}`);
  const text = readFileSync(report, 'utf8');
  rmSync(report, { force: true });
  return { code, report: text === '' ? undefined : JSON.parse(text) };
}

/** Runs a script until its end, or that of who waits for it: it is told to stop, and stops all that it started. */
async function ended(words, signal, nice = 0) {
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  if (nice > 0) setPriority(child.pid, nice);
  const stop = () => child.kill('SIGINT');
  signal?.addEventListener('abort', stop, { once: true });
  let [out, said] = ['', ''];
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.on('data', (chunk) => (said += chunk));
  const code = await new Promise((resolve) => child.once('close', (number, by) => resolve(number ?? by)));
  signal?.removeEventListener('abort', stop);
  return { code, out, said };
}

/** How much many processes stand back behind one. */
const MANY = 4;

/** Applications that this process cannot import: all that is tried on them is tried as a command. */
const COMMANDS_ONLY = ['cards'];
export const isCommandOnly = (app) => COMMANDS_ONLY.includes(app);

/** The first finding of a copy; one that can be killed is explored both ways at the same time until one of them finds it. */
export async function findIn(app, file, seconds) {
  const budget = `${seconds}s`;
  if (isCommandOnly(app)) {
    const options = ['--budget', budget, '--stop-after', '1', '--jobs', '4', '--beyond-contract'];
    return { ...(await exploreCommand(app, file, { options })).report, isKilled: true };
  }
  if (!APPS[app]) return exploreHere(app, file, { budget, stopAfter: 1 });
  const found = new AbortController();
  const told = (report) => {
    if (report?.findings.length > 0 && !found.signal.aborted) found.abort();
    return report;
  };
  const { signal } = found;
  const fail = (error) => {
    found.abort();
    throw error;
  };
  // The other search is one process, this one many: it is to have its part of the machine all the same.
  const words = ['--budget', budget, '--stop-after', '1', '--jobs', '2'];
  const [messages, kills] = await Promise.all([
    exploreBeside(app, file, { options: { budget, stopAfter: 1 }, signal }).then(told, fail),
    exploreCommand(app, file, { options: words, signal, nice: MANY }).then(({ report }) => told(report), fail),
  ]);
  const isKilled = !(messages?.findings.length > 0) && kills?.findings.length > 0;
  const best = (isKilled ? kills : messages) ?? kills;
  return { ...best, isKilled };
}

/** How often a finding comes again when it is replayed so many times at once. */
export async function comesAgain({ app, token, isKilled }, file, times) {
  if (!isKilled) {
    const { findings } = await exploreHere(app, file, { replay: Array(times).fill(token) });
    return findings.reduce((sum, { seen }) => sum + seen, 0);
  }
  const replays = Array.from({ length: times }, () => exploreCommand(app, file, { options: ['--replay', token] }));
  return (await Promise.all(replays)).filter(({ code }) => code === 1).length;
}

if (process.argv[1] === self) {
  const [, , app, file, options] = process.argv;
  process.once('SIGINT', () => process.exit(130));
  const report = await exploreHere(app, file, JSON.parse(options));
  // What a broken copy still waits for is not waited for.
  process.stdout.write(JSON.stringify(report), () => process.exit());
}
