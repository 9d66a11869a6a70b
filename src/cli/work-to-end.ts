import { type ControlConnection, ControlError } from '../control/control-connection.ts';
import { exitCodeOf, type HeldSignals } from './child-command.ts';
import { describeFailure } from './command-failure.ts';
import { CommandEnd, EXIT } from './process-end.ts';

/** Failures that no promise reports, such as in an emulator of a run. */
function hearCrash(): { heard: Promise<never>; release(): void } {
  const crashes = new AbortController();
  const hear = (error: Error) => crashes.abort(error);
  process.once('uncaughtException', hear);
  const heard = new Promise<never>((_, reject) => {
    crashes.signal.addEventListener('abort', () => reject(crashes.signal.reason));
  });
  return { heard, release: () => void process.off('uncaughtException', hear) };
}

/** An end with its exit code: what `use` refuses with says so by itself, and all else is a fault of its own. */
export function endOfRun(error: unknown, use: string): CommandEnd {
  if (error instanceof CommandEnd) return error;
  const { exitCode, message } = describeFailure(error);
  if (exitCode !== EXIT.failure) return new CommandEnd(exitCode, message);
  return new CommandEnd(EXIT.innerFault, `An inner fault of ${use}, which says nothing of what it ran: ${message}`);
}

/** A search or a measurement that is under way. */
export interface UnderWay {
  /** The command that it belongs to. */
  use: string;
  signals: HeldSignals;
  /** Ends what still runs. */
  stop: AbortController;
  progress: { end(): void };
  close(): Promise<void>;
}

/** Does the work and closes all that it had; what ended it before its end, if anything did. */
export async function workToEnd(
  work: () => Promise<unknown>,
  { use, signals, stop, progress, close }: UnderWay,
): Promise<CommandEnd | undefined> {
  const crash = hearCrash();
  const asEnd = (error: unknown) => endOfRun(error, use);
  const ends = [await Promise.race([work(), crash.heard]).then(() => undefined, asEnd)];
  if (ends[0]) stop.abort();
  progress.end();
  ends.push(await close().then(() => undefined, asEnd));
  crash.release();
  signals.release();
  if (signals.heard.aborted) return new CommandEnd(exitCodeOf(signals.heard.reason));
  return ends.find((end) => end !== undefined);
}

/** How long what is still rendered may take to be settled or given back, in seconds. */
const SETTLE_SECONDS = 30;

/** Null once all is at rest, else what was not waited for. */
export async function settle(control: ControlConnection, heard: AbortSignal): Promise<string | null> {
  const idle = control.call('waitFor', { for: 'idle', timeout: SETTLE_SECONDS }).then(
    () => null,
    (error: unknown) => {
      if (error instanceof ControlError) return error.message;
      throw error;
    },
  );
  const interrupted = new Promise<string>((resolve) => {
    const end = () => resolve('a signal ended the wait for work under way.');
    if (heard.aborted) end();
    heard.addEventListener('abort', end, { once: true });
  });
  return Promise.race([idle, interrupted]);
}
