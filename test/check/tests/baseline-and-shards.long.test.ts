import { expect, it } from 'vitest';
import { MeasuredSuite, NODE_COMMAND, NODE_SUITE } from './measured-suite.ts';

const SPENT = ['--only', 'spent.*'];

it('breaks on an assertion that is taken out since the baseline, and on nothing before', async () => {
  const suite = new MeasuredSuite(NODE_SUITE, NODE_COMMAND);
  const first = await suite.measure([...SPENT, '--baseline', 'base.json', '--update-baseline']);
  expect(first.code, first.output).toBe(0);
  const again = await suite.measure([...SPENT, '--baseline', 'base.json']);
  expect(again.code, again.output).toBe(0);
  expect(again.report.families).toEqual(first.report.families);
  suite.write(
    'shop.test.mjs',
    NODE_SUITE['shop.test.mjs'].replace(/^ {2}assert\.deepEqual.*$/m, '  assert.ok(usage);'),
  );
  const broken = await suite.measure([...SPENT, '--baseline', 'base.json']);
  expect(broken.code, broken.output).toBe(1);
  expect(broken.stdout).toContain('New since the baseline, not caught: usage.credits_spent is 0 (spent.zero@');
  expect(broken.report).toMatchObject({ exit: 1, families: { money: { told: 2, noticed: 0 } } });
});

it('keeps what is not run when a part of the baseline is written anew, and measures it again where a test has changed', async () => {
  const suite = new MeasuredSuite(NODE_SUITE, NODE_COMMAND);
  const update = (lie: string) => ['--only', lie, '--baseline', 'base.json', '--update-baseline'];
  expect((await suite.measure(update('spent.*'))).code).toBe(0);
  const weak = NODE_SUITE['shop.test.mjs'].replace(/^ {2}assert\.deepEqual.*$/m, '  assert.ok(usage);');
  suite.write('shop.test.mjs', weak);
  const part = await suite.measure(update('spent.zero'));
  expect(part.code, part.output).toBe(0);
  const { lies, families } = JSON.parse(suite.read('base.json'));
  expect(Object.fromEntries(lies.map(({ lie, verdict }: { lie: string; verdict: string }) => [lie, verdict]))).toEqual({
    'spent.zero': 'survived',
    'spent.one_more': 'noticed',
  });
  expect(families).toEqual({ money: { told: 2, noticed: 1 } });
  const judged = await suite.measure([...SPENT, '--baseline', 'base.json']);
  expect(judged.code, judged.output).toBe(1);
  expect(judged.stdout).toContain('(spent.one_more@POST /v1/chat/completions)');
  expect(judged.stdout).not.toContain('New since the baseline, not caught: usage.credits_spent is 0');
});

it('divides the lies over machines, and judges their reports as one', async () => {
  const suite = new MeasuredSuite(NODE_SUITE, NODE_COMMAND);
  const shards = ['1/2', '2/2'].map((shard) => ({ shard, file: `${shard[0]}.json` }));
  for (const { shard, file } of shards) {
    const { code, report } = await suite.measure([...SPENT, '--shard', shard, '--min', 'money=100'], file);
    expect([code, report.families]).toEqual([0, { money: { told: 1, noticed: 1 } }]);
  }
  const merged = await suite.merge(['--min', 'money=100', '1.json', '2.json']);
  expect([merged.code, merged.report.families]).toEqual([0, { money: { told: 2, noticed: 2 } }]);
  expect((await suite.merge(['--min', 'security=1', '1.json', '2.json'])).code).toBe(1);
});

const VITEST = [process.execPath, 'node_modules/vitest/vitest.mjs', 'run'];
const OF_VITEST = {
  'vitest.config.js': 'export default { test: { testTimeout: 60_000 } };',
  'shop.test.js': `import { test } from 'svc-emulator/vitest';
import { expect } from 'vitest';
const chat = ({ emulator, account }) => fetch(emulator.url + '/v1/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + account.apiKey, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Good evening.' }] }),
});
test('answers a message', async ({ emulator, account }) => {
  const body = await (await chat({ emulator, account })).json();
  expect(body.choices).toHaveLength(1);
});
`,
};

it('names the line of Vitest that sees a survivor, which makes it noticed', async () => {
  const suite = new MeasuredSuite(OF_VITEST, VITEST);
  const only = ['--only', 'charge.twice', '--only', 'spent.zero'];
  const { code, report, output } = await suite.measure(only);
  expect(code, output).toBe(0);
  const survivors = report.lies.filter(({ verdict }) => verdict === 'survived');
  expect(survivors.map(({ lie, assertion }) => [lie, assertion])).toEqual([
    ['charge.twice', 'await expect(account).toHaveSpent({ credits: 1, refunds: 0 });'],
    ['spent.zero', 'expect(body.usage.credits_spent).toBe(1);'],
  ]);
  const lines = survivors.map(({ assertion }) => assertion).join('\n  ');
  const mended = OF_VITEST['shop.test.js'].replace(
    '  expect(body.choices)',
    () => `  ${lines}\n  expect(body.choices)`,
  );
  suite.write('shop.test.js', mended);
  const again = await suite.measure(only);
  expect(again.report.families, again.output).toEqual({ money: { told: 2, noticed: 2 } });
});
