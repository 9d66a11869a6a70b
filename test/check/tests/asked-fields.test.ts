import { expect, it } from 'vitest';
import { MeasuredSuite, NODE_COMMAND, NODE_SUITE } from './measured-suite.ts';

const READS = NODE_SUITE['shop.test.mjs'].replace(
  'await chat();',
  '$&\n  const body = await response.json();\n  assert.ok(body);',
);
const suite = new MeasuredSuite({ 'shop.test.mjs': READS }, NODE_COMMAND);
const SITE = 'POST /v1/chat/completions';

it.each(['choices.0.finish_reason', 'choices.*.finish_reason'])('tells a lie about the field %s', async (field) => {
  const { code, report, output } = await suite.measure(['--lie', `field.null:${field}@${SITE}`]);
  expect(code, output).toBe(0);
  expect(report.measured).toMatchObject({ planned: 1, told: 1 });
  expect(report.lies.map((row) => [row.lie, row.field, row.verdict])).toEqual([
    ['field.null', field, 'unread'],
    ['field.null', field, 'unread'],
  ]);
  // The other test has no name for the answer.
  const line = "assert.equal(body.choices[0].finish_reason, 'stop');";
  expect(report.lies.map(({ assertion }) => assertion)).toEqual([undefined, line]);
});

it('refuses a path that no answer has, with the nearest one', async () => {
  const { code, output, report } = await suite.measure(['--lie', 'field.null:choices.0.finish_raeson']);
  expect(code).toBe(2);
  expect(output).toContain(
    'svc-emulator: --lie is field.null:choices.0.finish_raeson: no answer and no event that the tests get has such a field; the nearest is choices.*.finish_reason.',
  );
  expect(report.lies).toEqual([]);
});

const SPEECH = {
  'speech.test.mjs': NODE_SUITE['shop.test.mjs']
    .replace('/v1/chat/completions', '/v1/audio/speech')
    .replace(
      "{ model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Good evening.' }] }",
      "{ input: 'Good evening.', voice: 'aria' }",
    )
    .replace(
      /const \{ usage \}[\s\S]*?\}\);\n\}\);\n/,
      'const response = await chat();\n  assert.equal(response.status, 200);\n});\n',
    ),
};

it('proposes for an answer that is no JSON an assertion on its headers', async () => {
  const spoken = new MeasuredSuite(SPEECH, [process.execPath, '--test', 'speech.test.mjs']);
  const { code, report, output } = await spoken.measure(['--only', 'spent.one_more', '--only', 'remaining.*']);
  expect(code, output).toBe(0);
  const survivors = report.lies.filter(({ verdict }) => verdict === 'survived');
  expect(survivors.map(({ site }) => site)).toContain('POST /v1/audio/speech');
  for (const { lie, assertion } of survivors) {
    const name = lie.startsWith('spent') ? 'spent' : 'remaining';
    expect(assertion).toMatch(
      new RegExp(`^assert\\.equal\\(response\\.headers\\.get\\('svc-emulator-credits-${name}'\\), '\\d+'\\);`),
    );
  }
  expect(output).toContain("response.headers.get('svc-emulator-credits-spent')");
});

it('shows of a suite that fails by itself the test with its assertion, and the last of what it printed', async () => {
  const padding = "for (let n = 0; n < 60; n += 1) console.log('line ' + n + ' of what was printed'.repeat(2));";
  const files = { 'shop.test.mjs': NODE_SUITE['shop.test.mjs'].replace('.status, 200)', '.status, 201)') };
  const red = new MeasuredSuite(files, [
    ...NODE_COMMAND.slice(0, 1),
    '-e',
    `
    const { spawnSync } = require('node:child_process');
    const { status } = spawnSync(process.execPath, ['--test', 'shop.test.mjs'], { stdio: 'inherit' });
    ${padding}
    process.exit(status);`,
  ]);
  const { code, output, report } = await red.measure([]);
  expect(code).toBe(2);
  expect(report).toMatchObject({ exit: 2, lies: [], error: { exit_code: 2 } });
  const message = report.error?.message ?? '';
  for (const text of [output, message]) {
    expect(text).toMatch(/FAILED answers a message \(shop\.test\.mjs:\d+\)\n {4}.*\n(?: {4}.*\n)*? {4}200 !== 201/);
    expect(text).toContain('line 0 of what was printed');
    expect(text).toContain('line 59 of what was printed');
  }
  expect(message.split('It printed:\n')[1]?.length).toBeGreaterThanOrEqual(2000);
});
