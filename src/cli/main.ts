#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { nodeFault } from '../base/package/package-folder.ts';
import { loadProgram } from './load-program.ts';

// Before the program is loaded: an older Node may not even read it.
const fault = nodeFault();
if (fault) {
  process.stderr.write(`svc-emulator: ${fault}\n`);
  process.exitCode = 1;
} else {
  const program = loadProgram();
  // Under load the heap otherwise grows to several times what is in use before it is collected; this costs no speed.
  // After the loading, since a code cache holds for the flags under which it was made.
  setFlagsFromString('--heap-growing-percent=40');
  process.exitCode = await program.runProgram(process.argv.slice(2));
}
