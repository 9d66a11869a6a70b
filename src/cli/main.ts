#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { nodeVersionProblem } from '../base/package/package-folder.ts';
import { loadProgram } from './load-program.ts';

// Checks the version before loading the program, which an older Node may be unable to parse.
const fault = nodeVersionProblem();
if (fault) {
  process.stderr.write(`svc-emulator: ${fault}\n`);
  process.exitCode = 1;
} else {
  const program = loadProgram();
  // Keeps the heap small under load: otherwise it grows to several times its live size. It costs no speed. Set after
  // loading, because a code cache is valid only for the flags under which it was made.
  setFlagsFromString('--heap-growing-percent=40');
  process.exitCode = await program.runProgram(process.argv.slice(2));
}
