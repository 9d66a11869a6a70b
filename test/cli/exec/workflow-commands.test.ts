import assert from 'node:assert/strict';
import { expect, it } from 'vitest';
import { commandHere } from '../../support/command-here.ts';
import { runCommand } from '../../support/run-command.ts';
import { runToEnd } from '../spawned-program.ts';

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
  runCommand(['exec', '--quiet', '--min-requests', '0', '--', process.execPath, '-e', script], env);
const unescaped = (text: string) => text.replaceAll('\\u003a', ':').replaceAll('\\u0023', '#');

it('escapes every CI command, such as ::error::, in the output of a program, even if the program writes it letter by letter', async () => {
  const texts = Object.values(HOSTILE);
  const all = texts.join('\n');
  const { stdout, stderr } = await exec(
    `const [whole, ...letters] = [${JSON.stringify(all)}, ...${JSON.stringify([...all])}];
     const write = ([first, ...rest]) => first && process.stderr.write(first, () => setImmediate(write, rest));
     process.stdout.write(whole);
     write(letters);`,
    GITHUB,
  );
  // The message may also name daemons that other tests leave at the same time.
  const own = stderr.replace(/svc-emulator: the command started processes[^\n]*\n$/, '');
  for (const output of [stdout, own]) {
    expect(commandsIn(output)).toEqual([]);
    expect(texts.filter((text) => output.includes(text))).toEqual([]);
    expect(unescaped(output)).toBe(all);
  }
});

it.each(['GITHUB_ACTIONS', 'TF_BUILD', 'TEAMCITY_VERSION'])(
  'escapes CI commands in output if the variable %s is set',
  async (name) => {
    const line = ['exec', '--quiet', '--min-requests', '0', '--', 'echo', '::error::pwned'];
    expect((await runCommand(line, { [name]: 'True' })).stdout).toBe('\\u003a:error::pwned\n');
  },
);

it('prints output unchanged if it contains no CI commands, or if no CI system reads them', async () => {
  const bytes = 'Buffer.from([0, 255, 254, 13, 10, 35, 35, 58])';
  const harmless = 'a::b\nFAILED test_a.py::test_b\n# ## ### is ::1\u0000é\n';
  const script = `process.stdout.write(${JSON.stringify(harmless)}); process.stdout.write(${bytes})`;
  const printed = `${harmless}\u0000\ufffd\ufffd\r\n##:`;
  expect((await exec(script, GITHUB)).stdout).toBe(printed);
  // Without a CI system the command writes to the terminal directly.
  const mine = `console.log('::error::mine'); ${script}`;
  const { stdout } = await runToEnd(['exec', '--quiet', '--min-requests', '0', '--', process.execPath, '-e', mine]);
  expect(stdout).toBe(`::error::mine\n${printed}`);
});

it('escapes CI commands in the names of failed tests', async () => {
  const command = await commandHere((run) => run.test('##[add-mask]a', async () => assert.fail('no')));
  const { stdout, stderr } = await runCommand(['exec', '--', ...command], GITHUB);
  expect(stderr).toContain('FAILED \\u0023#[add-mask]a');
  const commands = commandsIn(stdout + stderr);
  expect(commands.filter((each) => !each.startsWith('::'))).toEqual([]);
});
