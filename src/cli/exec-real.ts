import type { ConfigOptions } from '../base/config/config.ts';
import { limitVariables, type RealTarget } from '../base/config/real-target.ts';
import { serviceVariables } from '../base/config/service-variables.ts';
import { counted } from '../base/counted.ts';
import { accountOf, serviceCalls } from '../client/runners/real-transport.ts';
import { ControlError } from '../control/control-connection.ts';
import { runToItsEnd } from './child-command.ts';
import { CommandEnd, EXIT } from './process-end.ts';
import { sayAside } from './terminal-output.ts';

/** Flags that are about an emulator, by their names as a program has them. */
const OF_EMULATORS = [
  ...['repeat', 'trace', 'keep', 'report', 'baseline', 'updateBaseline', 'requireBaseline', 'maxIncrease'],
  ...['failOnVerdict', 'failOnUnstruck', 'summary', 'minRequests'],
];

type RealFlags = ConfigOptions & { maxCredits?: number; quiet?: boolean };

/**
 * `exec` with `SVC_TARGET=real`: runs a command on the service. With `--max-credits` the fixtures of the command read the
 * balance before each test, and fail those that would begin after the limit is reached.
 */
export async function execOnReal(command: readonly string[], target: RealTarget, flags: RealFlags): Promise<void> {
  const named = OF_EMULATORS.find((name) => Object(flags)[name] !== undefined);
  if (named !== undefined) {
    const flag = `--${named.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw new CommandEnd(
      EXIT.wrongUse,
      `${flag} is for a run on an emulator, and SVC_TARGET is real; leave one of them out.`,
    );
  }
  const before = await balanceOf(target);
  const { maxCredits: credits, quiet } = flags;
  const limit = credits === undefined ? {} : limitVariables({ credits, before });
  const exitCode = await runToItsEnd(command, { ...process.env, ...serviceVariables(target), ...limit });
  const after = await balanceOf(target);
  const cost = counted(before - after, 'credit');
  if (!quiet) sayAside(`The run cost ${cost} on ${target.url} (balance ${before} before, ${after} after).\n`);
  const isOver = credits !== undefined && before - after > credits;
  if (isOver) {
    const said = `The run cost ${cost}; expected at most ${credits} (--max-credits).`;
    throw new CommandEnd(exitCode === EXIT.success ? EXIT.failure : exitCode, said);
  }
  if (exitCode !== EXIT.success) throw new CommandEnd(exitCode);
}

async function balanceOf(target: RealTarget): Promise<number> {
  try {
    return (await accountOf(serviceCalls(target))).credits;
  } catch (error) {
    const { message, cause } = error as Error;
    const fault =
      error instanceof ControlError
        ? `GET /v1/account was answered ${error.status}.`
        : `${cause instanceof Error ? cause.message : message}`;
    throw new CommandEnd(EXIT.failure, `The balance at ${target.url} cannot be read: ${fault}`);
  }
}
