import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { mutateReport } from '../../../src/check/tests/mutate-report.ts';
import { emptyFolder, SpawnedProgram, untilEnded } from '../../cli/spawned-program.ts';
import { lookUntil } from '../../support/look-until.ts';
import { mutated } from './measured-suite.ts';

it('counts as harm what the app makes of a lie that no test notices', async () => {
  const books = `
const { writeFileSync } = await import('node:fs');
const { status, body } = await chat();
writeFileSync('books.json', JSON.stringify({ spent: body.usage?.credits_spent }));
assert.equal(status, 200);`;
  const { exitCode, report } = await mutated({ text: books }, [
    ...['--trust', '--only', 'spent.zero', '--only', 'remaining.stale', '--probe', 'cat books.json'],
  ]);
  expect(exitCode).toBe(0);
  const rows = report().lies.map(({ lie, verdict, harm, assertion }) => ({ lie, verdict, harm, assertion }));
  expect(rows).toEqual([
    { lie: 'spent.zero', verdict: 'survived', harm: true, assertion: 'assert.equal(body.usage.credits_spent, 1);' },
    {
      lie: 'remaining.stale',
      verdict: 'survived',
      harm: false,
      assertion: expect.stringContaining('credits_remaining'),
    },
  ]);
});

it('ends with 130 after Ctrl-C, with the report of what was measured, and leaves nothing running', async () => {
  const folder = emptyFolder();
  // Once the truth has passed it waits for ever, and says so.
  const waits = `
import { existsSync, writeFileSync } from 'node:fs';
const { SVC_BASE_URL: base, SVC_API_KEY: key } = process.env;
await fetch(base + '/v1/account', { headers: { authorization: 'Bearer ' + key } });
if (existsSync('turn')) {
  writeFileSync('waiting', String(process.pid));
  await new Promise((resolve) => setInterval(() => {}, 1000));
}
writeFileSync('turn', '1');`;
  writeFileSync(path.join(folder, 'suite.mjs'), waits);
  const args = ['mutate', '--trust', '--report', 'report.json', '--', 'node', 'suite.mjs'];
  const program = new SpawnedProgram(args, {}, folder);
  const waiting = path.join(folder, 'waiting');
  await lookUntil(() => existsSync(waiting) && readFileSync(waiting, 'utf8') !== '');
  expect(await program.stop('SIGINT')).toBe(130);
  const report = mutateReport.parse(JSON.parse(readFileSync(path.join(folder, 'report.json'), 'utf8')));
  expect(report).toMatchObject({ exit: 130, lies: [], units: [{ name: 'node suite.mjs' }] });
  await untilEnded(Number(readFileSync(waiting, 'utf8')));
});

it('says that too little was measured where a gate is broken as well', async () => {
  const { exitCode, stderr } = await mutated('statusOnly', [
    ...['--trust', '--only', 'refund.one_of_two', '--min', 'money=100', '--max-brittle', '0'],
  ]);
  expect(stderr).toContain('Nothing was measured');
  expect(exitCode).toBe(3);
});
