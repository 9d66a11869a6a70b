import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { loadProgram } from '../dist/load-program.js';

/**
 * Runs the built program through a start, a request and a stop, and then saves the code that V8 compiled for it.
 * Prints the name of the file.
 */
const { runProgram, script, cacheFile } = loadProgram();
const print = process.stdout.write.bind(process.stdout);

process.stdout.write = (line) => {
  const url = /^svc-emulator ready on (\S+)/.exec(line)?.[1];
  if (url) void visit(url);
  return true;
};
const exitCode = await runProgram(['start', '--ephemeral', '--port', '0', '--log', 'silent']);
if (exitCode !== 0) throw new Error(`The built program does not start: exit code ${exitCode}.`);
writeFileSync(`${cacheFile}.${process.pid}`, script.createCachedData());
renameSync(`${cacheFile}.${process.pid}`, cacheFile);
print(path.basename(cacheFile));

async function visit(url) {
  await fetch(new URL('/v1/models', url)).then((answer) => answer.text());
  process.emit('SIGTERM');
}
