import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { VERSION } from '../../../src/base/package/package-folder.ts';
import { writeToken } from '../../../src/check/app/token.ts';
import { recordIn } from '../../control/trace/read-trace.ts';
import { runCommand } from '../../support/run-command.ts';
import { emptyFolder, folderOf, SpawnedProgram } from '../spawned-program.ts';

/** Asks for one chat. Tries again what was refused before any work, after the time that is asked for. */
const CAREFUL = `
const { SVC_BASE_URL: base, SVC_API_KEY: key } = process.env;
const chat = { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hello.' }] };
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
for (let turn = 0; turn < 4; turn += 1) {
  const answer = await fetch(base + '/v1/chat/completions', { method: 'POST', headers, body: JSON.stringify(chat) }).catch(LOST);
  if (!answer || answer.status < 400 || answer.status === 402) break;
  await new Promise((resolve) => setTimeout(resolve, 1000 * Number(answer.headers.get('retry-after') ?? 0) + 60));
}
`;
const careful = CAREFUL.replace('LOST', '() => undefined');
/** Asks again whatever became of the first. */
const greedy = CAREFUL.replace('LOST', '() => ({ status: 500, headers: new Headers() })');

function story(text: string): { folder: string; words: string[] } {
  const folder = folderOf({ 'story.mjs': text });
  return { folder, words: ['--', 'node', 'story.mjs'] };
}

function explore(folder: string, args: readonly string[]) {
  return runCommand(['explore', ...args], {}, folder);
}

const ONE = ['--only', 'lost_answer', '--only', 'lost_request', '--budget', '0', '--jobs', '1'];

it('finds nothing in a story that stands everything, and says so in each report [I240 I242 I250]', async () => {
  const { folder, words } = story(careful);
  const reports = ['json', 'xml', 'html'].flatMap((kind) => ['--report', `found.${kind}`]);
  const run = await explore(folder, [...ONE, ...reports, ...words]);
  expect(run).toMatchObject({ exitCode: 0 });
  const read = (kind: string) => readFileSync(path.join(folder, `found.${kind}`), 'utf8');
  expect(JSON.parse(read('json'))).toMatchObject({
    ...{
      command: 'node story.mjs',
      seed: 1,
      bound: 2,
      schedules_run: 2,
      schedules_left: 0,
      findings: [],
      unstable: [],
    },
    plain: { steps: ['POST /v1/chat/completions #1'] },
    by_deviation: { lost_answer: { run: 1, failed: 0 }, lost_request: { run: 1, failed: 0 } },
  });
  expect(read('xml')).toContain('failures="0"');
  expect(read('html')).toMatch(/^<!doctype html>/);
  expect(existsSync(path.join(folder, '.svc-explore'))).toBe(false);
});

/** Asks for a chat, for its stream, and for the account. */
const SEVERAL = `${careful}
const streamed = await fetch(base + '/v1/chat/completions', { method: 'POST', headers, body: JSON.stringify({ ...chat, stream: true }) });
await streamed.text();
await fetch(base + '/v1/account', { headers }).then((answer) => answer.json());
`;

it('makes one list of schedules of a seed, in whatever version of Node the command runs [I241]', async () => {
  const { folder, words } = story(SEVERAL);
  const few = ['--seed', '7', '--schedules', '1', '--jobs', '1', '--no-saved'];
  const run = await explore(folder, [...few, '--report', 'found.json', ...words]);
  expect(run.exitCode).toBe(0);
  const report = JSON.parse(readFileSync(path.join(folder, 'found.json'), 'utf8'));
  const steps = ['POST /v1/chat/completions #1', 'POST /v1/chat/completions #2', 'GET /v1/account #1'];
  expect(report.plain.steps.toSorted()).toEqual(steps.toSorted());
  expect([report.schedules_left, report.schedules_hash]).toEqual([140, '0898836be4cbc2c5']);
});

it('tries first what an earlier run found whose steps there still are, whatever else the command does now', async () => {
  const { folder, words } = story(SEVERAL);
  const tokenOf = (step: string) =>
    writeToken({ version: VERSION, seed: 1, story: 'other', schedule: [{ step, deviation: 'status:500' }] });
  mkdirSync(path.join(folder, '.svc-explore'));
  const tokens = ['POST /v1/chat/completions #9', 'GET /v1/account #1'].map(tokenOf);
  writeFileSync(path.join(folder, '.svc-explore/findings.json'), JSON.stringify(tokens));
  await explore(folder, ['--schedules', '1', '--jobs', '1', '--report', 'found.json', ...words]);
  const { by_deviation } = JSON.parse(readFileSync(path.join(folder, 'found.json'), 'utf8'));
  expect(Object.keys(by_deviation)).toEqual(['status:500']);
});

it('ends with 1 and a finding of one deviation, whose trace lies beside it and whose token shows it again elsewhere [I243 I251]', async () => {
  const signed = `console.log('signs with ' + process.env.SHOP_TOKEN);${greedy}`;
  const { folder, words } = story(signed);
  const secret = 'hunter2 of the shop';
  const line = ['explore', ...ONE, '--report', 'found.json', ...words];
  const found = await runCommand(line, { SHOP_TOKEN: secret }, folder);
  expect(found.exitCode).toBe(1);
  const [finding] = JSON.parse(readFileSync(path.join(folder, 'found.json'), 'utf8')).findings;
  expect(finding).toMatchObject({
    kind: 'verdict',
    schedule: [{ step: 'POST /v1/chat/completions #1', deviation: 'lost_answer' }],
  });
  expect(finding.message).toMatch(/^paid_again: /);
  expect(found.stdout).toContain(
    `explore --replay ${finding.token} --budget 0 --only lost_answer --only lost_request --jobs 1 -- node story.mjs`,
  );
  expect(found.stdout.split('\n\n')[0]?.split('\n').length).toBeLessThanOrEqual(25);
  expect(JSON.parse(readFileSync(path.join(folder, '.svc-explore/findings.json'), 'utf8'))).toEqual([finding.token]);

  // Of the run in its smallest form, without the values of secrets.
  const [, file = ''] = /^ {4}Trace: (.*\.html)$/m.exec(found.stdout) ?? [];
  expect(path.dirname(file)).toBe('.svc-explore');
  const { head, tables, output } = recordIn(readFileSync(path.join(folder, file), 'utf8'));
  expect(head).toMatchObject({ title: 'lost_answer at POST /v1/chat/completions #1', exit: 0 });
  expect(head.failure).toMatch(/^verdict: paid_again: /);
  // It opens where the first deviation was at work, and says in words what that was.
  expect(head.schedule).toEqual([expect.stringMatching(/^POST \/v1\/chat\/completions #1 /)]);
  const [disturbed] = tables.requests;
  expect(Math.abs((head.openAt ?? 0) - (disturbed?.began ?? 0))).toBeLessThan(1000);
  expect(head.openAt).toBeLessThan(tables.requests[1]?.began ?? 0);
  expect(tables.requests.map(({ status, fault }) => [status, fault !== undefined])).toEqual([
    [0, true],
    [200, false],
  ]);
  expect(tables.entries.filter(({ type }) => type === 'charge')).toHaveLength(2);
  expect(output.map(({ text }) => text)).toEqual(['signs with …']);

  const elsewhere = story(signed);
  const again = await explore(elsewhere.folder, ['--replay', finding.token, ...elsewhere.words]);
  expect(again.exitCode).toBe(1);
  const mended = story(careful);
  expect(await explore(mended.folder, ['--replay', finding.token, ...mended.words])).toMatchObject({ exitCode: 0 });
});

it('gives the story what exec gives, and never its schedule [I251]', async () => {
  const { folder, words } = story(`${careful}
    const { writeFileSync } = await import('node:fs');
    writeFileSync('seen.json', JSON.stringify(process.env));`);
  await explore(folder, [...ONE, ...words]);
  const seen = JSON.parse(readFileSync(path.join(folder, 'seen.json'), 'utf8'));
  expect(seen).toMatchObject({
    SVC_EXPLORE: '1',
    OPENAI_BASE_URL: `${seen.SVC_BASE_URL}/v1`,
    PORT: expect.stringMatching(/^\d+$/),
  });
  expect(JSON.stringify(seen)).not.toContain('lost_answer');
  expect(existsSync(seen.SVC_EXPLORE_DIR)).toBe(false);
});

it('ends with 127 for a command that does not exist', async () => {
  expect(await explore(emptyFolder(), ['--', 'no-such-command-here'])).toMatchObject({ exitCode: 127 });
});

it('takes a probe that fails in a disturbed run alone for a finding, and goes on', async () => {
  const { folder, words } = story(`
    import { writeFileSync } from 'node:fs';
    const { SVC_BASE_URL: base, SVC_API_KEY: key, SVC_EXPLORE_DIR: own } = process.env;
    const { status } = await fetch(base + '/v1/account', { headers: { authorization: 'Bearer ' + key } });
    if (status === 200) writeFileSync(own + '/state.json', '{}');
  `);
  const kinds = ['--only', 'status:500', '--budget', '0', '--jobs', '1', '--report', 'found.json'];
  const run = await explore(folder, [...kinds, '--probe', 'cat $SVC_EXPLORE_DIR/state.json', ...words]);
  expect(run.exitCode).toBe(1);
  const { findings, schedules_left: left } = JSON.parse(readFileSync(path.join(folder, 'found.json'), 'utf8'));
  expect(findings.map(({ kind }: { kind: string }) => kind)).toContain('probe');
  expect(findings[0].message).toMatch(/^The probe \(cat .*\) failed with exit code 1\. It printed: cat: /);
  expect(left).toBe(0);
});

it('hands the account to the check, and reports its failure [I252]', async () => {
  const { folder, words } = story(careful);
  writeFileSync(
    path.join(folder, 'check.mjs'),
    `const chunks = []; for await (const chunk of process.stdin) chunks.push(chunk);
     const { account_id, balance, charges, refunds, jobs, deliveries } = JSON.parse(Buffer.concat(chunks).toString());
     if (!account_id || !Array.isArray(jobs) || !Array.isArray(deliveries) || refunds.length > 0) process.exit(4);
     if (charges.length !== 1) { console.log('charged ' + charges.length + ' times, left ' + balance); process.exit(5); }`,
  );
  const run = await explore(folder, [...ONE, '--check', 'node check.mjs', ...words]);
  expect(run.exitCode).toBe(1);
  expect(run.stdout).toContain(
    ' (check)\n    The check (node check.mjs) failed with exit code 5. It printed: charged 0 times',
  );
});

it('ends at once at Ctrl-C, with its report written [I253]', async () => {
  const { folder, words } = story(`${careful}\nawait new Promise((resolve) => setTimeout(resolve, 300));`);
  const run = new SpawnedProgram(['explore', '--report', 'found.json', ...words], {}, folder);
  await new Promise<void>((resolve) => run.child.stderr?.once('data', () => resolve()));
  expect(await run.stop('SIGINT')).toBe(130);
  expect(JSON.parse(readFileSync(path.join(folder, 'found.json'), 'utf8'))).toMatchObject({ findings: [] });
});
