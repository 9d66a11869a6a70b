import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

/** The bundle beside this file: the build puts its name in, which holds a hash of its contents. */
declare const PROGRAM_FILE: string;

type Program = Pick<typeof import('./program.ts'), 'runProgram'>;
type Bundle = (exports: Program, require: NodeJS.Require, filename: string) => void;

export interface LoadedProgram extends Program {
  script: Script;
  /** Where the code that V8 compiled is kept; it fits this version of Node only. */
  cacheFile: string;
}

/**
 * Evaluates the bundled program with the code that V8 compiled when it was built. Compiling it anew costs about as
 * much as everything else that a start does; without a fitting cache that is what happens.
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
