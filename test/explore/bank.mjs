// The bank of applications: `npm run explore:bank` explores each correct one and each broken copy, and prints what was found.
// Words of the command line narrow it: `npm run explore:bank -- shop lost`. BANK_SECONDS is the budget of each (60).
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = path.join(here, '..', '..');
const SECONDS = Number(process.env.BANK_SECONDS ?? 60);
const REPLAYS = Number(process.env.BANK_REPLAYS ?? 3);
const words = process.argv.slice(2);

/** Each application: its file, and how it is explored. */
export const APPS = {
  shop: (file) => [
    ...['--start', `node '${file}'`, '--ready', 'http://127.0.0.1:{port}/ready'],
    ...['--probe', `node '${path.join(here, 'shop/probe.mjs')}'`, '--', `node '${path.join(here, 'shop/story.mjs')}'`],
  ],
};

/** A broken copy, written beside the others in a folder that imports resolve from. */
export function brokenCopy(app, name, changes, file = path.join(here, app, `${app}.mjs`)) {
  let text = readFileSync(file, 'utf8');
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`"${name}" of ${app} changes what is not there: ${from}`);
    text = text.replace(from, to);
  }
  const folder = path.join(root, 'node_modules', '.cache', 'explore-bank');
  mkdirSync(folder, { recursive: true });
  const copy = path.join(folder, `${app}-${name.replace(/\W+/g, '-')}.mjs`);
  writeFileSync(copy, text);
  return copy;
}

/** Runs `svc-emulator explore` and answers its exit code and report. */
export function explored(args, report) {
  return new Promise((resolve) => {
    const all = ['explore', '--no-saved', ...(report ? ['--report', report] : []), ...args];
    const child = spawn(process.execPath, [path.join(root, 'dist/main.js'), ...all], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.once('close', (code) => resolve({ code, output, report: report && read(report) }));
  });
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

async function row(app, name, file, more) {
  const report = path.join(root, 'node_modules', '.cache', `bank-${process.pid}.json`);
  const run = await explored(['--budget', `${SECONDS}s`, ...more, ...APPS[app](file)], report);
  rmSync(report, { force: true });
  const [finding] = run.report?.findings ?? [];
  if (!finding) return { app, name, found: run.code === 0 ? 'no' : `exit ${run.code}: ${run.output.slice(-300)}`, run };
  let again = 0;
  for (let turn = 0; turn < REPLAYS; turn += 1) {
    again += (await explored(['--replay', finding.token, ...APPS[app](file)])).code === 1 ? 1 : 0;
  }
  const schedule = finding.schedule.map(({ step, deviation }) => `${deviation} at ${step}`).join(' + ');
  return {
    app,
    name,
    found: 'yes',
    kind: finding.kind,
    schedule,
    seconds: run.report.seconds,
    again: `${again} of ${REPLAYS}`,
    run,
  };
}

function tell({ app, name, found, kind = '', schedule = '', seconds = '', again = '', run }) {
  const counts = run.report ? `${run.report.schedules_run} run, ${run.report.schedules_left} left` : '';
  console.log(`| ${[app, name, found, kind, schedule, seconds, again, counts].join(' | ')} |`);
}

async function main() {
  console.log(
    '| app | bug | found | kind | schedule | seconds | replayed | schedules |\n| --- | --- | --- | --- | --- | --- | --- | --- |',
  );
  const wanted = (text) => words.every((word) => text.includes(word));
  for (const app of Object.keys(APPS)) {
    const { BROKEN } = await import(`./${app}/broken.mjs`);
    const correct = path.join(here, app, `${app}.mjs`);
    if (wanted(`${app} correct`)) tell(await row(app, 'none: the correct one', correct, ['--beyond-contract']));
    for (const [name, changes] of Object.entries(BROKEN)) {
      if (!wanted(`${app} ${name}`)) continue;
      tell(await row(app, name, brokenCopy(app, name, changes), ['--beyond-contract', '--stop-after', '1']));
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
