import { chmodSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { bundleForNode, dist, REQUIRE, replaceFile, root } from './built-files.mjs';

/** Worker threads of the service: the renderer, and the copy of a database. Native and heavy packages are not bundled. */
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
    // fluent-ffmpeg is a CommonJS package, and requires built-in modules of Node.
    banner: { js: REQUIRE },
    write: false,
    logLevel: 'warning',
  });
  await replaceFile(path.join(dist, name), outputFiles[0].contents);
}
const empty = path.join(dist, 'empty.db');
await makeEmptyDatabase(`${empty}.${process.pid}`);
renameSync(`${empty}.${process.pid}`, empty);

/** Makes the empty database. New data folders copy it, because creating its tables would be the slowest part of a start. */
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
  // Only the owner may read a data folder, but everyone may read this file.
  chmodSync(file, 0o644);
}
