import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { tailWithoutPartialSecret } from '../../src/control/mask/mask.ts';
import { type CommandRun, commandHere } from '../support/command-here.ts';
import { runCommand } from '../support/run-command.ts';
import { emptyFolder, folderOf } from './spawned-program.ts';

/** A secret of which no six consecutive characters occur in other text. */
const SECRET = 'Zq7Wk2Xv9Jh4Tn6Bd8Mp3Rs5';
const CUTS = [160, 200, 300, 400, 500, 2000, 4000, 16_000];
const ENV = { SHOP_TOKEN: SECRET, CI: '', GITHUB_ACTIONS: 'true' };

function expectHidden(texts: Readonly<Record<string, string>>): void {
  const parts = Array.from({ length: SECRET.length - 5 }, (_, at) => SECRET.slice(at, at + 6));
  const shown = Object.entries(texts).flatMap(([name, text]) =>
    parts.filter((part) => text.includes(part)).map((part) => `${name}: ${part}`),
  );
  expect(shown).toEqual([]);
}

const across = (cut: number) => 'x'.repeat(cut - SECRET.length / 2) + SECRET;

/** Lines with the secret across every place where a text may be cut. */
const SAID = CUTS.flatMap((cut) => [`not ok 1 - ${across(cut)}`, `Error: ${across(cut)}`, across(cut)]).join('\n');

function failsLoudly(run: CommandRun): void {
  Object.assign(run, { out: `${SAID}\n`, end: 'exit 1' });
}

async function failsUnlessDone(run: CommandRun): Promise<void> {
  if ((await run.chat()).status !== 200) failsLoudly(run);
}

it.each([[CUTS.filter((cut) => cut <= 400)], [CUTS.filter((cut) => cut > 400)]])(
  'masks a secret in every report of exec, even if a limit of %j characters splits it',
  async (own) => {
    const folder = emptyFolder();
    const files = ['spend.json', 'spend.xml', 'run.html', 'summary.md'].map((name) => path.join(folder, name));
    const [json = '', xml = '', html = '', summary = ''] = files;
    const flags = ['--report', json, '--report', xml, '--trace', html, '--summary', summary];
    const command = await commandHere(async (run) => {
      for (const length of own.flatMap((cut) => [cut - 80, cut - 40, cut, cut + 40])) {
        await run.call('POST', `/v1/chat/completions?x=${across(length)}`, { model: across(length), messages: [] });
        const test = { name: across(Math.min(length, 200)), file: '/shop.test.mjs' };
        const { body } = await run.call('POST', '/_emulator/accounts', { test });
        const end = { outcome: 'failed', error: across(Math.min(length, 1900)) };
        await run.call('PATCH', `/_emulator/tests/${body.test_id}`, end);
      }
      failsLoudly(run);
    });
    const { exitCode, stderr } = await runCommand(['exec', ...flags, '--', ...command], ENV);
    expect(exitCode).toBe(1);
    const written = Object.fromEntries(files.map((file) => [path.basename(file), readFileSync(file, 'utf8')]));
    for (const text of [written['spend.xml'], written['summary.md'], stderr]) expect(text).toContain('xxx');
    expectHidden({ ...written, stderr });
  },
);

const REPORTS = ['json', 'xml', 'html', 'md'].map((kind) => `found.${kind}`);

type Row = [what: string, flags: string[], work: (run: CommandRun) => Promise<unknown>, code: number];

it.each<Row>([
  ['a finding', ['--only', 'status:500'], failsUnlessDone, 1],
  ['a command that fails by itself', [], (run) => run.chat().then(() => failsLoudly(run)), 2],
  [
    'a command that is not the same twice',
    ['--only', 'lost_request'],
    async (run) => {
      for (const cut of CUTS) await run.call('POST', `/v1/things/${Math.random()}`, { prompt: across(cut) });
    },
    2,
  ],
  ['a test that expects success', ['--only', 'empty_balance'], failsUnlessDone, 0],
  [
    'a command of --assert',
    ['--only', 'lost_request', '--assert', 'cat said; exit 1'],
    (run) => run.chat().catch(() => undefined),
    2,
  ],
])(
  'masks a secret in all output of check about %s, even if a limit on the length of a text splits it',
  async (_, flags, work, code) => {
    const folder = folderOf({ said: SAID });
    const reports = REPORTS.flatMap((file) => ['--report', file]);
    const line = ['check', ...flags, '--budget', '0', ...reports, '--', ...(await commandHere(work))];
    const { exitCode, stdout, stderr } = await runCommand(line, ENV, folder);
    expect(exitCode, stderr).toBe(code);
    const written = REPORTS.map((file) => [file, readFileSync(path.join(folder, file), 'utf8')]);
    expectHidden({ ...Object.fromEntries(written), stdout, stderr });
  },
);

it('keeps the end of a long output, but drops its incomplete first line (or 8,192 characters if no line break follows), because a secret may be split there', () => {
  expect(tailWithoutPartialSecret('secret-in-one-line\nrest', 10)).toBe('rest');
  expect(tailWithoutPartialSecret(`${'a'.repeat(20_000)}b`, 10_000)).toHaveLength(10_000 - 8192);
  expect(tailWithoutPartialSecret('short', 10)).toBe('short');
});
