import { chmodSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { bundleForNode, dist, REQUIRE, replaceFile, root } from './built-files.mjs';

/** Threads next to the service: the renderer, and the copy of a database. Native and heavy packages stay outside. */
for (const [name, source] of [
  ['render-worker.js', 'src/media/render-worker.ts'],
  ['copy-worker.js', 'src/base/database/copy-worker.ts'],
]) {
  const { outputFiles } = await build({
    entryPoints: [path.join(root, source)],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    external: ['sharp', '@ffmpeg-installer/ffmpeg'],
    // fluent-ffmpeg is written for CommonJS, and requires what Node has built in.
    banner: { js: REQUIRE },
    write: false,
    logLevel: 'warning',
  });
  await replaceFile(path.join(dist, name), outputFiles[0].contents);
}
const empty = path.join(dist, 'empty.db');
await makeEmptyDatabase(`${empty}.${process.pid}`);
renameSync(`${empty}.${process.pid}`, empty);

/** What a new data folder begins with: this version's tables, whose making would take longest of all that a start does. */
async function makeEmptyDatabase(file) {
  const folder = './src/base/database';
  const contents = `export { Connection } from '${folder}/connection.ts'; export { createTables } from '${folder}/database-file.ts';`;
  const maker = await bundleForNode(contents, `${file}.mjs`);
  const { Connection, createTables } = await import(maker);
  rmSync(maker);
  rmSync(file, { force: true });
  const connection = new Connection(file, { mode: 'durable' });
  createTables(connection);
  connection.close();
  // Of a data folder only its owner may read; this is anybody's.
  chmodSync(file, 0o644);
}
