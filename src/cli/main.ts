#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { loadProgram } from './load-program.ts';

const program = loadProgram();
// Under load the heap otherwise grows to several times what is in use before it is collected; this costs no speed.
// After the loading, since a code cache holds for the flags under which it was made.
setFlagsFromString('--heap-growing-percent=40');

process.exitCode = await program.runProgram(process.argv.slice(2));
