import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { threadId } from 'node:worker_threads';
import { areReplaced } from '../../base/clock/real-globals.ts';
import { type ConfigOptions, isChecked, passProxies, runningEmulator, runningToken } from '../../base/config/config.ts';
import { secretValues } from '../../base/config/secret-values.ts';
import { xmlText } from '../../base/junit.ts';
import { counted, visibleText } from '../../base/text.ts';
import { maskedText } from '../../control/mask/masked-text.ts';
import type { Plan, Progression } from '../client-records.ts';
import type { AccountClient, EmulatorClient } from '../emulator-client.ts';
import { startEmulator } from '../local-emulator.ts';
import { accountStory } from '../request-story.ts';
import { nameOf, SuiteClient, SuiteTest, type TestEnd, type TestName } from './suite-client.ts';

/** What a test's own account is: 1,000 credits on the studio plan, its jobs progressing as all others, by default. */
export interface AccountFixture {
  plan?: Plan;
  credits?: number;
  progression?: Omit<Progression, 'accountId'>;
}

/** An emulator that fixtures use, and how they let it go. */
export interface OpenEmulator {
  emulator: SuiteClient;
  close(): Promise<void>;
}

const REPLACED_TIMERS =
  'The timers of this process were replaced before svc-emulator was loaded, so nothing would ever end. Turn fake timers on in the test, after svc-emulator is imported, and not in a setup file.';

/** What an account may be called, in characters. */
const NAME_LIMIT = 200;

/**
 * The emulator that `svc-emulator exec` has started for this process; else one of its own with these options, in which a
 * job that is not polled settles at once unless `settleAfter` says otherwise.
 */
export async function openEmulator(options: ConfigOptions = {}): Promise<OpenEmulator> {
  if (areReplaced) throw new Error(REPLACED_TIMERS);
  passProxies();
  const running = runningEmulator();
  if (running) return { emulator: new SuiteClient(running, runningToken()), close: async () => {} };
  const emulator = await startEmulator({ settleAfter: '0', ...options });
  return { emulator: new SuiteClient(emulator.url, options.controlToken), close: () => emulator.close() };
}

/** A test begins; a suite may have put a client of its own in the place of the fixture. */
export async function beginTest(emulator: EmulatorClient, name: TestName): Promise<SuiteTest> {
  if (emulator instanceof SuiteClient) return emulator.begin(name);
  return new SuiteTest(name, emulator, (order) => emulator.account(order));
}

/**
 * A test has ended; of one that has failed the trace is written, and what is printed below it is returned. A test that
 * passed fails with `forgotten` if it did not wait for one of its assertions.
 */
export async function endTest(emulator: EmulatorClient, test: SuiteTest, ended: TestEnd): Promise<TestFailure> {
  const forgotten = ended.outcome === 'passed' ? await forgottenIn(test) : undefined;
  const end: TestEnd = forgotten === undefined ? ended : { outcome: 'failed', error: forgotten };
  await (emulator instanceof SuiteClient ? emulator.end(test, end) : test.end(end));
  const failure = end.outcome === 'failed' ? await failureOf(emulator, test, end) : { story: '' };
  return { ...failure, forgotten };
}

async function forgottenIn({ accounts }: SuiteTest): Promise<string | undefined> {
  const found = await Promise.all(accounts.map(({ assertions }) => assertions.forgotten()));
  return found.find((each) => each !== undefined);
}

/** Fails a test that passed without waiting for one of its assertions. */
export function requireAwaited({ forgotten }: TestFailure): void {
  if (forgotten !== undefined) throw new Error(forgotten);
}

/** A new account that is called as its test. */
export async function openAccount(
  emulator: EmulatorClient,
  test: SuiteTest,
  { plan = 'studio', credits = 1000, progression }: AccountFixture = {},
): Promise<AccountClient> {
  const account = await test.account({ name: cut(nameOf(test.name), NAME_LIMIT), plan, credits });
  if (progression) await emulator.setProgression({ ...progression, accountId: account.id });
  return account;
}

/** Where the traces of failed tests are written, below the folder of the run. */
const TRACES = 'svc-traces';
/** Characters of what a test failed with. */
const LONGEST_ERROR = 4000;
/** No file system takes names of more than 255 bytes. */
const NAME_OF_FILE = 150;

/** What is printed below a failed test, and its trace as one page where one was written. */
export interface TestFailure {
  story: string;
  page?: string;
  /** The assertion that it did not wait for. */
  forgotten?: string | undefined;
}

/** Writes the trace of a failed test, and says what its accounts did. Rejects never: no failure of its own hides that of the test. */
async function failureOf(emulator: EmulatorClient, test: SuiteTest, { error }: TestEnd): Promise<TestFailure> {
  const [first] = test.accounts;
  if (!first) return { story: '' };
  const stories = test.accounts.map((account) =>
    accountStory(emulator, account).catch((error: Error) => `Requests of ${account.id}: ${error.message}`),
  );
  const requests = visibleText((await Promise.all(stories)).join('\n'));
  // Of the run that counts, the search keeps a trace.
  if (isChecked()) return { story: requests };
  try {
    const page = await tracePage(emulator, first, { name: test.name, error });
    const file = keepInFolder(TRACES, fileOf(test.name, first.id), { html: page, title: nameOf(test.name) });
    return { story: `Trace: ${file}\n${requests}`, page };
  } catch (error) {
    return { story: `No trace was written: ${(error as Error).message}\n${requests}` };
  }
}

/** What the account of a failed test did, as one page. */
function tracePage(
  emulator: EmulatorClient,
  account: AccountClient,
  { name, error = 'The test failed.' }: { name: TestName; error: string | undefined },
): Promise<string> {
  return emulator.trace({
    account,
    title: cut(nameOf(name), NAME_LIMIT),
    failure: cut(maskedText(stripVTControlCharacters(error)), LONGEST_ERROR),
    // An exec that began the emulator may have another environment.
    secrets: secretValues(),
  });
}

/** The words of a title, and a mark that distinguishes tests of one title: the same in the next run, which writes over it. */
function fileOf(test: TestName, accountId: string): string {
  const name = nameOf(test);
  const mark = createHash('sha256')
    .update(`${path.relative('.', test.file)} ${name} ${accountId}`)
    .digest('hex')
    .slice(0, 6);
  let words = cut(name.match(/[\p{L}\p{N}]+/gu)?.join('-') ?? '', NAME_OF_FILE);
  while (Buffer.byteLength(words) > NAME_OF_FILE) words = cut(words, [...words].length - 1);
  return `${words || 'test'}-${mark}.html`;
}

function cut(text: string, limit: number): string {
  return [...text].slice(0, limit).join('');
}

const RECORD = /<script type="application\/gzip" id="record">[^<]*<\/script>/;
/** Where the page of a trace has its record. */
const PLACE = '<!--record-->';
const INDEX = 'index.html';

/**
 * Keeps the trace of a test in a folder of traces: a small page of its own with the record, one viewer for all of them,
 * and a list of all as `index.html`. Everything opens from the disk, without a server. Tests of several processes may
 * write at the same time. Throws where the folder cannot be written.
 */
export function keepInFolder(folder: string, name: string, { html, title }: { html: string; title: string }): string {
  const [record = ''] = RECORD.exec(html) ?? [];
  const file = path.join(folder, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, smallPage({ title, record, viewer: keepViewer(folder, html.replace(RECORD, PLACE)) }));
  replaceFile(path.join(folder, INDEX), indexPage(folder));
  return file;
}

/** The page without a record, once for all traces of one version; answers its name. */
function keepViewer(folder: string, page: string): string {
  const name = `viewer-${createHash('sha256').update(page).digest('hex').slice(0, 8)}.js`;
  const file = path.join(folder, name);
  if (!existsSync(file)) replaceFile(file, viewerScript(page));
  return name;
}

/** Replaces the document, once it is read, by the page with its record: a page from the disk may load scripts, and nothing else. */
function viewerScript(page: string): string {
  return `const page = ${JSON.stringify(page)};
addEventListener('load', () => {
  const record = document.getElementById('record').outerHTML;
  document.open();
  document.write(page.replace('${PLACE}', () => record));
  document.close();
});
`;
}

function smallPage({ title, record, viewer }: { title: string; record: string; viewer: string }): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${xmlText(title)}</title></head>
<body>
<p>This trace is drawn by ${viewer}, which belongs beside this file: copy the whole folder.</p>
${record}
<script src="${viewer}"></script>
</body>
</html>
`;
}

/** As the pages of the dashboard look, which a list without scripts cannot load. */
const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#e4e4e8, #2a2c31); --soft: light-dark(#5a5c66, #a3a6ae) }
* { box-sizing: border-box }
body { margin: 0; background: light-dark(#fff, #131416); color: light-dark(#1b1c20, #e9eaec); font: 13px/20px "Inter Variable", Inter, system-ui, sans-serif; font-variant-numeric: tabular-nums }
header { display: flex; flex-wrap: wrap; gap: 0 8px; align-items: baseline; padding: 14px 16px; border-bottom: 1px solid var(--line); background: light-dark(#f7f7f8, #0e0f11) }
h1 { margin: 0; font-size: 15px; font-weight: 600 }
header p { margin: 0 }
header p, time { color: var(--soft) }
ul { margin: 0; padding: 0; list-style: none }
li { position: relative; display: flex; flex-wrap: wrap; gap: 0 16px; justify-content: space-between; padding: 12px 16px; border-bottom: 1px solid var(--line) }
li:hover { background: light-dark(#f2f2f4, #1f2124) }
a { color: inherit; font-weight: 500; text-decoration: none; overflow-wrap: anywhere }
a::after { position: absolute; inset: 0; content: "" }
a:focus-visible { outline: none }
a:focus-visible::after { outline: 2px solid light-dark(#4f46e5, #a5a6fb); outline-offset: -2px }
time { font-size: 12px; white-space: nowrap }
`;

/** A list of the traces in a folder, the newest first. */
function indexPage(folder: string): string {
  const names = readdirSync(folder).filter((name) => name.endsWith('.html') && name !== INDEX);
  const traces = names.map((name) => ({
    name,
    at: statSync(path.join(folder, name)).mtime,
    title: titleOf(folder, name),
  }));
  const items = traces
    .sort((a, b) => b.at.getTime() - a.at.getTime() || (a.title < b.title ? -1 : 1))
    .map(({ name, at, title }) => {
      const time = at.toISOString();
      const link = `<a href="${encodeURIComponent(name)}">${xmlText(title)}</a>`;
      return `<li>${link}<time datetime="${time}">${time.slice(0, 19).replace('T', ' ')} UTC</time></li>`;
    });
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Traces · svc-emulator</title><style>${STYLE}</style></head>
<body>
<header><h1>Traces</h1><p>${counted(traces.length, 'trace')}, the newest first</p></header>
<main>
<ul>
${items.join('\n')}
</ul>
</main>
</body>
</html>
`;
}

/** How much of a page is read for its title, in bytes. */
const HEAD = 4096;

/** As the page says it; the trace of a whole run is called as its file. */
function titleOf(folder: string, name: string): string {
  const head = readFileSync(path.join(folder, name)).subarray(0, HEAD).toString();
  const [, title = name] = /<head><meta charset="utf-8"><title>([^<]*)<\/title>/.exec(head) ?? [];
  return title.replace(/&(lt|gt|quot|amp);/g, (_, entity: keyof typeof ENTITIES) => ENTITIES[entity]);
}

const ENTITIES = { lt: '<', gt: '>', quot: '"', amp: '&' };

/** Whole or not at all: others read it, or write it too. */
function replaceFile(file: string, text: string): void {
  const own = `${file}.${process.pid}-${threadId}`;
  writeFileSync(own, text);
  renameSync(own, file);
}
