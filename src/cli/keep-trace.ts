import { writeFileSync } from 'node:fs';
import { CommandEnd, EXIT } from './command-end.ts';

/** Writes a trace to its file. Throws `CommandEnd` (1) where that fails. */
export function keepTrace(file: string, html: string): void {
  try {
    writeFileSync(file, html);
  } catch (error) {
    throw new CommandEnd(EXIT.failure, `The trace cannot be written to ${file}: ${(error as Error).message}.`);
  }
}
