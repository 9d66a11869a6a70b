import { expect, it } from 'vitest';
import { failingSuite } from '../../client/runners/failed-suite.ts';
import { commandOf, PYTEST, type Runner } from '../../client/runners/runner-suites.ts';
import { SuiteFolder } from '../../support/suite-folder.ts';
import { MAIN, runToEnd } from '../spawned-program.ts';

const GITHUB = { GITHUB_ACTIONS: 'true', CI: 'true' };

/** The lines that GitHub, Azure Pipelines or TeamCity would run. */
function commandsIn(output: string): string[] {
  const lines = output.split(/\r\n|\r|\n/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colors
  const plain = (line: string) => line.replaceAll(/\u001b\[[0-9;]*m/g, '').trimStart();
  return lines.filter((line) => plain(line).startsWith('::') || /##(?:vso|teamcity)?\[/i.test(line));
}

const HOSTILE: Record<string, string> = {
  'a command': '::error::pwned',
  'a command with values': '::set-output name=key::pwned',
  'a command after spaces': ' \t \u3000::add-mask::a',
  'a command after a carriage return': '50 %\r::warning::pwned',
  'a command after a color': '\u001b[31m::error::pwned\u001b[0m',
  'a command after a color and spaces': '\u001b[1;38;5;9m  \u001b[0m ::error::pwned',
  'the end of stopped commands': '::stop-commands::a\n::a::',
  'an old command': 'text ##[add-path]/tmp',
  'a command of Azure Pipelines': 'text ##vso[task.setvariable variable=a]b',
  'a command of TeamCity': "##teamcity[buildStatus status='SUCCESS']",
  'commands without a last line end': 'a\n::error::pwned',
};

const exec = (script: string, env: Record<string, string>) =>
  runToEnd(['exec', '--quiet', '--min-requests', '0', '--', process.execPath, '-e', script], env);
const unescaped = (text: string) => text.replaceAll('\\u003a', ':').replaceAll('\\u0023', '#');

it.each(Object.entries(HOSTILE))(
  'prints %s in the output of a command as plain text, even letter by letter',
  async (_, text) => {
    const { stdout, stderr } = await exec(
      `const [whole, ...letters] = [${JSON.stringify(text)}, ...${JSON.stringify([...text])}];
     const write = ([first, ...rest]) => first && process.stderr.write(first, () => setImmediate(write, rest));
     process.stdout.write(whole);
     write(letters);`,
      GITHUB,
    );
    // Daemons that other tests leave at the same time are named too.
    const own = stderr.replace(/svc-emulator: the command started processes[^\n]*\n$/, '');
    for (const output of [stdout, own]) {
      expect(commandsIn(output)).toEqual([]);
      expect(output).not.toBe(text);
      expect(unescaped(output)).toBe(text);
    }
  },
);

it.each(['GITHUB_ACTIONS', 'TF_BUILD', 'TEAMCITY_VERSION'])(
  'detects by %s that the CI system reads commands in output',
  async (name) => {
    const { stdout } = await exec("console.log('::error::pwned')", { [name]: 'True' });
    expect(stdout).toBe('\\u003a:error::pwned\n');
  },
);

it('prints output unchanged if it contains no CI commands, or if no CI system reads them', async () => {
  const bytes = 'Buffer.from([0, 255, 254, 13, 10, 35, 35, 58])';
  const harmless = 'a::b\nFAILED test_a.py::test_b\n# ## ### is ::1\u0000é\n';
  const script = `process.stdout.write(${JSON.stringify(harmless)}); process.stdout.write(${bytes})`;
  for (const env of [GITHUB, {}]) {
    const { stdout } = await exec(script, env);
    expect(stdout).toBe(`${harmless}\u0000\ufffd\ufffd\r\n##:`);
  }
  const { stdout } = await exec("console.log('::error::mine')", {});
  expect(stdout).toBe('::error::mine\n');
});

it('prints CI commands in the names of tests as plain text', async () => {
  const name = '##[add-mask]a';
  const folder = new SuiteFolder({
    'a.test.mjs': `import { test } from 'node:test';
import { emulatorFixtures } from 'svc-emulator/node-test';
const svc = emulatorFixtures();
test(${JSON.stringify(name)}, () => { svc.account; throw new Error('no'); });`,
  });
  const line = [MAIN, 'exec', '--', ...commandOf('node:test')];
  const { output } = await folder.runCommand(process.execPath, line, GITHUB);
  expect(output).toContain('FAILED \\u0023#[add-mask]a');
  const commands = commandsIn(output);
  expect(commands.filter((each) => !each.startsWith('::'))).toEqual([]);
});

const PLAIN: Record<string, { files: Record<string, string>; command: readonly string[] }> = {
  vitest: {
    files: {
      'a.test.js': "import { expect, it } from 'vitest';\n\nit('adds', () => {\n  expect(1 + 1).toBe(3);\n});\n",
    },
    command: commandOf('vitest'),
  },
  pytest: { files: { 'test_a.py': 'def test_adds():\n    assert 1 + 1 == 3\n' }, command: PYTEST },
};

const annotations = (output: string) => commandsIn(output).filter((each) => each.startsWith('::error'));

it.each<Runner>(['vitest', 'node:test'])('annotates a test that fails in %s once, with its file', async (runner) => {
  const folder = new SuiteFolder(failingSuite(runner));
  const line = [MAIN, 'exec', '--', ...commandOf(runner)];
  const { code, output } = await folder.runCommand(process.execPath, line, { ...GITHUB, SHOP_SECRET: 'pin9' });
  expect(code, output).toBe(1);
  expect(annotations(output)).toEqual([expect.stringMatching(/^::error file=a\.test\.m?js,.*title=answers \//)]);
});

it.each([
  ['vitest', 'file=a.test.js,line=4,title=adds', 'AssertionError: expected 2 to be 3 // Object.is equality'],
  ['pytest', 'file=test_a.py,line=2,title=test_a.py%3A%3Atest_adds', 'assert (1 + 1) == 3'],
])('annotates a test that fails in %s once even if it does not use the fixtures', async (name, place, reason) => {
  const { files, command } = PLAIN[name] as (typeof PLAIN)[string];
  const folder = new SuiteFolder({ 'package.json': '{}', ...files });
  const line = [MAIN, 'exec', '--min-requests', '0', '--', ...command];
  const { code, output } = await folder.runCommand(process.execPath, line, GITHUB);
  expect(code, output).toBe(1);
  expect(annotations(output)).toEqual([`::error ${place}::${reason}`]);
});
