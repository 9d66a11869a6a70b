import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

/** Set by the build; the name contains a hash of the bundle. */
declare const PROGRAM_FILE: string;

type Program = Pick<typeof import('./program.ts'), 'runProgram'>;
type Bundle = (exports: Program, require: NodeJS.Require, filename: string) => void;

export interface LoadedProgram extends Program {
  script: Script;
  cacheFile: string;
}

/**
 * Uses the code that V8 compiled during the build, because compiling takes as long as the rest of a start. Compiles it if
 * no cache of this version of Node exists.
 */
export function loadProgram(): LoadedProgram {
  const filename = fileURLToPath(new URL(PROGRAM_FILE, import.meta.url));
  const cacheFile = `${filename}.${process.version}-${process.platform}-${process.arch}.cache`;
  const script = new Script(readFileSync(filename, 'latin1'), {
    filename,
    cachedData: readIfThere(cacheFile),
  });
  const program = {} as Program;
  const bundle: Bundle = script.runInThisContext();
  bundle(program, createRequire(filename), filename);
  return { runProgram: program.runProgram, script, cacheFile };
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
