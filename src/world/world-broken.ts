import path from 'node:path';

/** A world file cannot be used; the message names file, line and field (exit code 2). */
export class WorldBroken extends Error {
  override name = 'WorldBroken';

  constructor(file: string, line: number | null, message: string) {
    super(`--world ${file} cannot be used.\n${path.basename(file)}${line === null ? '' : `:${line}`}: ${message}`);
  }
}
