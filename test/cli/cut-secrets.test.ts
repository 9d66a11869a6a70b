import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';
import { folderOf } from './spawned-program.ts';

/** No six characters of it are anywhere else. */
const SECRET = 'Zq7Wk2Xv9Jh4Tn6Bd8Mp3Rs5';
/** Where a text of a run is cut, in characters. */
const CUTS = [160, 200, 300, 400, 500, 2000, 4000, 16_000];
const ENV = { SHOP_TOKEN: SECRET, CI: '', GITHUB_ACTIONS: 'true' };

function expectHidden(texts: Readonly<Record<string, string>>): void {
  const parts = Array.from({ length: SECRET.length - 5 }, (_, at) => SECRET.slice(at, at + 6));
  const shown = Object.entries(texts).flatMap(([name, text]) =>
    parts.filter((part) => text.includes(part)).map((part) => `${name}: ${part}`),
  );
  expect(shown).toEqual([]);
}

/** Every text that a run can leave, with the secret across every place where it may be cut. */
const APP = `
const { SVC_BASE_URL: base, SVC_API_KEY: key, SHOP_TOKEN: token } = process.env;
const across = (cut) => 'x'.repeat(cut - token.length / 2) + token;
const cuts = ${JSON.stringify(CUTS)};
const send = (path, body) => fetch(base + path, {
  method: 'POST', headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' }, body: JSON.stringify(body) });
const chat = (content) => send('/v1/chat/completions', { model: 'svc-rp-mini', max_tokens: 4, messages: [{ role: 'user', content }] });
const sayAll = () => {
  for (const cut of cuts) {
    console.log('not ok 1 - ' + across(cut));
    console.log('Error: ' + across(cut));
    console.log(across(cut));
  }
};
`;

it.each([[CUTS.filter((cut) => cut <= 400)], [CUTS.filter((cut) => cut > 400)]])(
  'hides in all that exec writes a secret that lies across one of the characters %j of a text',
  async (own) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'svc-cut-'));
    const files = ['spend.json', 'spend.xml', 'run.html', 'summary.md'].map((name) => path.join(folder, name));
    const [json = '', xml = '', html = '', summary = ''] = files;
    const flags = ['--report', json, '--report', xml, '--trace', html, '--summary', summary];
    const script = `${APP}
    for (const length of ${JSON.stringify(own)}.flatMap((cut) => [cut - 80, cut - 40, cut, cut + 40])) {
      await send('/v1/chat/completions?x=' + across(length), { model: across(length), messages: [] });
      const unit = { name: across(Math.min(length, 200)), file: '/shop.test.mjs' };
      const made = await (await send('/_emulator/accounts', { unit })).json();
      const end = { outcome: 'failed', error: across(Math.min(length, 1900)) };
      await fetch(base + '/_emulator/units/' + made.unit_id, {
        method: 'PATCH', headers: { 'content-type': 'application/json' }, body: JSON.stringify(end) });
    }
    sayAll();
    process.exit(1);`;
    const words = ['--', process.execPath, '--input-type=module', '-e', script];
    const { exitCode, stderr } = await runCommand(['exec', ...flags, ...words], ENV);
    expect(exitCode).toBe(1);
    const written = Object.fromEntries(files.map((file) => [path.basename(file), readFileSync(file, 'utf8')]));
    for (const text of [written['spend.xml'], written['summary.md'], stderr]) expect(text).toContain('xxx');
    expectHidden({ ...written, stderr });
  },
);

const REPORTS = ['json', 'xml', 'html', 'md'].map((kind) => `found.${kind}`);

it.each([
  [
    'a finding',
    ['--only', 'lost_request'],
    "await chat('Good evening.').catch(() => { sayAll(); process.exit(1); });",
    1,
  ],
  ['a command that fails by itself', [], "await chat('Good evening.'); sayAll(); process.exit(1);", 2],
  [
    'a command that is not the same twice',
    ['--only', 'lost_request'],
    "for (const cut of cuts) await send('/v1/things/' + Math.random(), { prompt: across(cut) });",
    2,
  ],
  [
    'a test that expects success',
    ['--only', 'empty_balance'],
    "const { status } = await chat('Good evening.'); if (status !== 200) { sayAll(); process.exit(1); }",
    0,
  ],
  [
    'a command of --assert',
    ['--only', 'lost_request', '--assert', 'node assert.mjs'],
    "await chat('Good evening.').catch(() => 0);",
    2,
  ],
])('hides in all that check writes about %s a secret that lies across a cut', async (_, flags, then, code) => {
  const folder = folderOf({ 'shop.mjs': `${APP}${then}`, 'assert.mjs': `${APP}sayAll(); process.exit(1);` });
  const reports = REPORTS.flatMap((file) => ['--report', file]);
  const line = ['check', ...flags, '--budget', '0', ...reports, '--', process.execPath, 'shop.mjs'];
  const { exitCode, stdout, stderr } = await runCommand(line, ENV, folder);
  expect(exitCode, stderr).toBe(code);
  const written = REPORTS.map((file) => [file, readFileSync(path.join(folder, file), 'utf8')]);
  expectHidden({ ...Object.fromEntries(written), stdout, stderr });
});
