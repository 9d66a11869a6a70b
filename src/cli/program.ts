import { Command, CommanderError } from 'commander';
import { unusedVariableWarnings } from '../base/config/environment.ts';
import { ConfigError } from '../base/errors.ts';
import { VERSION } from '../base/package/package-folder.ts';
import { createCallCommand } from './call-command.ts';
import { createCheckCommand } from './check/check-command.ts';
import { createDoctorCommand } from './doctor-command.ts';
import { exitWhenNpmExits } from './end-with-npm.ts';
import { createExecCommand } from './exec/exec-command.ts';
import { createCompareCommand, createOpenapiCommand, createPythonClientCommand } from './offline-commands.ts';
import { EXIT_CODES, exitCodeAndMessage } from './process-end.ts';
import { createListenCommand, createMcpCommand, createTraceCommand } from './remote-commands.ts';
import { createDemoCommand, createStartCommand } from './start-command.ts';
import { print, printToStderr } from './terminal-output.ts';
import { formatUsageError, rejectFlagWithoutValue } from './usage-errors.ts';
import { createVerifyCommand } from './verify/verify-command.ts';

const COMMANDS = {
  'Run the emulator:': [createStartCommand, createDemoCommand, createDoctorCommand],
  'Test with it:': [createExecCommand, createCheckCommand, createVerifyCommand, createPythonClientCommand],
  'Use a running emulator:': [createCallCommand, createListenCommand, createTraceCommand, createMcpCommand],
  'Without an emulator:': [createCompareCommand, createOpenapiCommand],
};

export async function runProgram(args: readonly string[]): Promise<number> {
  outliveReaders();
  const words = withCommand(args);
  try {
    const root = createProgram();
    const command = root.commands.find((each) => each.name() === words[0]);
    if (command) rejectFlagWithoutValue(words, command);
    const isUnknown = command === undefined && !words[0]?.startsWith('-');
    // Leaves out the words after an unknown command: with --help, the parser would print the general help instead of
    // rejecting the command.
    await root.parseAsync(isUnknown ? words.slice(0, 1) : words, { from: 'user' });
    return EXIT_CODES.success;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.success : EXIT_CODES.wrongUse;
    const { exitCode, message } = exitCodeAndMessage(error);
    const help = error instanceof ConfigError ? ` See svc-emulator ${words[0]} --help.` : '';
    if (message !== '') printToStderr(`svc-emulator: ${message}${help}\n`);
    return exitCode;
  }
}

export function createProgram(): Command {
  const root = new Command('svc-emulator')
    .description('Emulate a credit-metered generative-media API on this machine.')
    .version(VERSION)
    .helpCommand(false)
    .hook('preAction', () => {
      for (const line of unusedVariableWarnings()) printToStderr(`svc-emulator: ${line}\n`);
      exitWhenNpmExits();
    });
  for (const [heading, commands] of Object.entries(COMMANDS)) {
    for (const command of commands) root.addCommand(command().helpGroup(heading));
  }
  settle(root, 'svc-emulator');
  return root;
}

function settle(command: Command, line: string): void {
  command
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureOutput({
      writeOut: print,
      writeErr: printToStderr,
      outputError: (text, write) => write(formatUsageError(text, command, line)),
    });
  for (const each of command.commands) settle(each, `${line} ${each.name()}`);
}

/** Without a command, flags other than those of help and version belong to `start`. `help NAME` is `NAME --help`. */
function withCommand(args: readonly string[]): string[] {
  const general = ['-h', '--help', '-V', '--version'];
  const [first, ...others] = args;
  if (first === 'help') return others.length === 0 ? ['--help'] : [...others, '--help'];
  const bare = first === undefined || (first.startsWith('-') && !general.includes(first));
  return bare ? ['start', ...args] : [...args];
}

const GONE = ['EPIPE', 'EIO'];

/** Discards output that nobody reads any more, because a reader such as `head` may stop early. */
function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.listeners('error').includes(ignoreGone)) continue;
    stream.on('error', ignoreGone);
  }
}

function ignoreGone(error: NodeJS.ErrnoException): void {
  if (!GONE.includes(String(error.code))) throw error;
}
