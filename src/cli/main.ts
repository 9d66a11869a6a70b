#!/usr/bin/env node
import { loadProgram } from './load-program.ts';

process.exitCode = await loadProgram().runProgram(process.argv.slice(2));
