import { emptyFolder, type StartedProgram, startProgram } from '../cli/spawned-program.ts';

/** A run of the built program on a data folder that remains after it. */
export interface Life extends StartedProgram {
  folder: string;
  /** Ends the program, by default with SIGKILL, and starts it again on the same folder. */
  next(signal?: NodeJS.Signals): Promise<Life>;
}

/** Starts the program on an empty or an existing folder. `next` uses the same flags. */
export async function startLife(flags: readonly string[] = [], folder: string = emptyFolder()): Promise<Life> {
  const started = await startProgram(['--data-dir', folder, ...flags]);
  const next = async (signal: NodeJS.Signals = 'SIGKILL') => {
    await started.program.stop(signal);
    return startLife(flags, folder);
  };
  return { ...started, folder, next };
}
