import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { cleanEnvironment } from '../../support/run-clock.ts';
import { runCommand } from '../../support/run-command.ts';
import { world } from '../../support/world.ts';
import { TwistedService } from './stand-in.ts';

const MAIN = path.join(import.meta.dirname, '..', '..', '..', 'dist', 'main.js');
const folder = emptyFolder();
const standIn = await world();
const account = await standIn.account({ credits: 60 });
const proxy = await TwistedService.start(standIn.url, () => undefined);

/** Of util-linux; that of other systems takes other arguments. */
const hasTerminal = process.platform === 'linux' && spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;
const QUESTION = '[y/N]';

/** Runs `drift` on a terminal and types an answer once it is asked. */
function onTerminal(flags: string, typed: string): Promise<{ exitCode: number | null; shown: string }> {
  const line = `"${process.execPath}" "${MAIN}" drift --against ${proxy.url} --key-env DRIFT_KEY --pace 0 ${flags}`;
  const env = cleanEnvironment({ DRIFT_KEY: account.key });
  const child = spawn('script', ['-qec', line, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  return new Promise((resolve) => {
    let shown = '';
    child.stdout.on('data', (text) => {
      const isAsked = shown.includes(QUESTION);
      shown += text;
      if (!isAsked && shown.includes(QUESTION)) child.stdin.write(typed);
    });
    child.once('close', (exitCode) => resolve({ exitCode, shown }));
  });
}

it.skipIf(!hasTerminal).each([
  ['no', 'n\r'],
  ['nothing', '\r'],
  ['Ctrl-D', '\u0004'],
  ['Ctrl-C', '\u0003'],
])('asks on a terminal before a credit is spent, and sends nothing after %s', async (_what, typed) => {
  proxy.received.length = 0;
  const { exitCode, shown } = await onTerminal('--budget 14', typed);
  expect(shown).toContain(`About 4 credits, at most 14, of ${proxy.url} will be spent. Go on? [y/N]`);
  expect([exitCode, proxy.requests]).toEqual([2, []]);
  expect(shown).toContain('Nothing was sent.');
});

it.skipIf(!hasTerminal)('spends credits once a terminal has said yes', async () => {
  const before = await account.balance();
  const { exitCode, shown } = await onTerminal('--budget 14', 'y\r');
  expect([exitCode, before - (await account.balance())]).toEqual([0, 4]);
  expect(shown).not.toContain(account.key);
});

it.skipIf(!hasTerminal)('asks nothing on a terminal where nothing is to be spent', async () => {
  const { exitCode, shown } = await onTerminal('--budget 10', 'n\r');
  expect([exitCode, shown.includes(QUESTION)]).toEqual([0, false]);
});

const keyFile = (name: string, text: string) => {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
};

it('takes the key of a file without the end of its line, and writes it nowhere', async () => {
  const file = keyFile('key.txt', `\uFEFF${account.key}\r\n`);
  const reports = ['json', 'html', 'md', 'xml'].map((type) => path.join(folder, `key.${type}`));
  const flags = reports.flatMap((report) => ['--report', report]);
  const shapes = path.join(folder, 'key.shapes.json');
  const args = ['drift', '--against', proxy.url, '--key-file', file, '--pace', '0', '--shapes', shapes, ...flags];
  const { exitCode, stdout, stderr } = await runCommand(args);
  expect(exitCode).toBe(0);
  const texts = [stdout, stderr, ...[...reports, shapes].map((each) => readFileSync(each, 'utf8'))];
  expect(texts.filter((text) => text.includes(account.key))).toEqual([]);
});

it.each([
  ['does not exist', () => path.join(folder, 'none.txt'), /--key-file is .*none\.txt, which cannot be read/],
  [
    'is a folder',
    () => mkdirSync(path.join(folder, 'keys'), { recursive: true }) ?? path.join(folder, 'keys'),
    /cannot/,
  ],
  ['is empty', () => keyFile('empty.txt', ''), /There is no API key in the file .*empty\.txt/],
  ['is a line end', () => keyFile('line.txt', '\n'), /There is no API key in the file/],
  ['has two keys', () => keyFile('two.txt', 'svc_sk_hunter2\nsvc_sk_hunter3\n'), /expected one line/],
  ['has a key that is no header', () => keyFile('other.txt', 'svc_sk_hunter2é'), /printable characters/],
])('refuses a key file that %s with 2, and sends and shows nothing of it', async (_what, file, message) => {
  proxy.received.length = 0;
  const { exitCode, stderr } = await runCommand(['drift', '--against', proxy.url, '--key-file', file()]);
  expect([exitCode, stderr, proxy.requests]).toEqual([2, expect.stringMatching(message), []]);
  expect(stderr).not.toContain('hunter');
});
