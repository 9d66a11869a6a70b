#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { loadProgram } from './load-program.ts';

// Under load the heap otherwise grows to several times what is in use before it is collected; this costs no speed.
setFlagsFromString('--heap-growing-percent=40');

process.exitCode = await loadProgram().runProgram(process.argv.slice(2));
