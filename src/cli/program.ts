import { Command, CommanderError } from 'commander';
import { unusedVariables } from '../base/config/environment.ts';
import { VERSION } from '../base/package/package-folder.ts';
import { callCommand } from './call-command.ts';
import { checkCommand } from './check/check-command.ts';
import { doctorCommand } from './doctor-command.ts';
import { endWithNpm } from './end-with-npm.ts';
import { execCommand } from './exec/exec-command.ts';
import { compareCommand, openapiCommand, pythonClientCommand } from './offline-commands.ts';
import { describeFailure, EXIT } from './process-end.ts';
import { listenCommand, mcpCommand, traceCommand } from './remote-commands.ts';
import { demoCommand, startCommand } from './start-command.ts';
import { say, sayAside } from './terminal-output.ts';
import { verifyCommand } from './verify/verify-command.ts';

const COMMANDS = {
  'Run the emulator:': [startCommand, demoCommand, doctorCommand],
  'Test with it:': [execCommand, checkCommand, verifyCommand, pythonClientCommand],
  'Use a running emulator:': [callCommand, listenCommand, traceCommand, mcpCommand],
  'Without an emulator:': [compareCommand, openapiCommand],
};

export async function runProgram(args: readonly string[]): Promise<number> {
  outliveReaders();
  try {
    await program(args).parseAsync(withCommand(args), { from: 'user' });
    return EXIT.success;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.success : EXIT.wrongUse;
    const { exitCode, message } = describeFailure(error);
    if (message !== '') sayAside(`svc-emulator: ${message}\n`);
    return exitCode;
  }
}

export function program(args: readonly string[] = []): Command {
  const root = new Command('svc-emulator')
    .description('Emulate a credit-metered generative-media API on this machine.')
    .version(VERSION)
    .hook('preAction', () => {
      for (const line of unusedVariables()) sayAside(`svc-emulator: ${line}\n`);
      endWithNpm();
    });
  for (const [heading, commands] of Object.entries(COMMANDS)) {
    for (const command of commands) root.addCommand(command().helpGroup(heading));
  }
  settle(root, 'svc-emulator', args.includes('--'));
  return root;
}

const FOREIGN = /^error: (?:unknown option|missing required argument 'command')/;

/** `isSeparated`: the arguments have a `--`. */
function settle(command: Command, line: string, isSeparated: boolean): void {
  const takesCommand = command.usage().includes(' -- ') && !isSeparated;
  command
    .exitOverride()
    .configureOutput({
      writeOut: say,
      writeErr: sayAside,
      outputError(text, write) {
        // An option that is close to none of ours may be one of the command.
        const isForeign = takesCommand && FOREIGN.test(text) && !text.includes('Did you mean');
        write(text.replace(/^error: /, 'svc-emulator: ') + (isForeign ? '(write the command after --)\n' : ''));
      },
    })
    .showHelpAfterError(`(see ${line} --help)`);
  for (const each of command.commands) settle(each, `${line} ${each.name()}`, isSeparated);
}

/** Without a command, flags belong to `start`. A mistyped command is reported with the closest match. */
function withCommand(args: readonly string[]): string[] {
  const general = ['-h', '--help', '-V', '--version'];
  const [first] = args;
  const bare = first === undefined || (first.startsWith('-') && !general.includes(first));
  return bare ? ['start', ...args] : [...args];
}

const GONE = ['EPIPE', 'EIO'];

/**
 * A reader such as `head` may stop early. That is not an error of the command, so the rest is discarded. Throws other
 * errors.
 */
function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.listeners('error').includes(ignoreGone)) continue;
    stream.on('error', ignoreGone);
  }
}

function ignoreGone(error: NodeJS.ErrnoException): void {
  if (!GONE.includes(String(error.code))) throw error;
}
