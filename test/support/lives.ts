import { emptyFolder, type StartedProgram, startProgram } from '../cli/spawned-program.ts';

/** The built program on a folder that outlives it. */
export interface Life extends StartedProgram {
  folder: string;
  /** Ends it, as `kill -9` does unless told otherwise, if it is not gone yet, and starts it again on its folder. */
  next(signal?: NodeJS.Signals): Promise<Life>;
}

/** Starts it on an empty folder, or on one that there is; with the same flags in every life. */
export async function startLife(flags: readonly string[] = [], folder: string = emptyFolder()): Promise<Life> {
  const started = await startProgram(['--data-dir', folder, ...flags]);
  const next = async (signal: NodeJS.Signals = 'SIGKILL') => {
    await started.program.stop(signal);
    return startLife(flags, folder);
  };
  return { ...started, folder, next };
}
