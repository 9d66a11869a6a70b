import { writeFileSync } from 'node:fs';
import { CommandEnd } from './command-end.ts';
import { EXIT } from './command-failure.ts';

/** Writes a trace to its place. Throws `CommandEnd` (1) where that cannot be. */
export function keepTrace(file: string, html: string): void {
  try {
    writeFileSync(file, html);
  } catch (error) {
    throw new CommandEnd(EXIT.failure, `The trace cannot be written to ${file}: ${(error as Error).message}.`);
  }
}
