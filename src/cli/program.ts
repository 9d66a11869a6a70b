import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Command, CommanderError } from 'commander';
import { packageFolder } from '../fixture-folder.ts';
import { describeFailure, EXIT } from './command-failure.ts';
import { startCommand } from './start-command.ts';

/** Every command, one file each. */
const COMMANDS = [startCommand];

/** Runs one command line (without node and program) and answers the exit code. */
export async function runProgram(args: readonly string[]): Promise<number> {
  try {
    await program().parseAsync(withCommand(args), { from: 'user' });
    return EXIT.success;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.success : EXIT.wrongUse;
    const { exitCode, message } = describeFailure(error);
    process.stderr.write(`svc-emulator: ${message}\n`);
    return exitCode;
  }
}

function program(): Command {
  const root = new Command('svc-emulator')
    .description('A local stand-in for a credit-metered generative-media API.')
    .version(version());
  for (const command of COMMANDS) root.addCommand(command());
  for (const each of [root, ...root.commands]) {
    each
      .exitOverride()
      .showHelpAfterError(`(see svc-emulator ${each === root ? '' : `${each.name()} `}--help)`);
  }
  return root;
}

/** A line that begins with a flag means `start`; written out, a mistyped command gets its nearest right one. */
function withCommand(args: readonly string[]): string[] {
  const general = ['-h', '--help', '-V', '--version'];
  const [first] = args;
  const bare = first === undefined || (first.startsWith('-') && !general.includes(first));
  return bare ? ['start', ...args] : [...args];
}

function version(): string {
  const file = path.join(packageFolder(), 'package.json');
  return String(JSON.parse(readFileSync(file, 'utf8')).version);
}
