import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

export const root = path.join(import.meta.dirname, '..');
export const dist = path.join(root, 'dist');

/**
 * Native parts, binaries and what is loaded by name stay outside of every bundle; so does what many a process never uses,
 * since the text of a bundle stays in memory.
 */
export const EXTERNAL = [
  ...['sharp', '@ffmpeg-installer/ffmpeg', 'pino'],
  ...['multer', 're2js', 'undici', 'yaml', '@modelcontextprotocol/server', '@modelcontextprotocol/server/*'],
];

/** Gives an ES module what bundled packages that are CommonJS expect. */
export const REQUIRE =
  "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url), __dirname = import.meta.dirname;";

/** Renamed into place, so that whoever reads it meanwhile reads a whole file. */
export async function replaceFile(file, contents) {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(`${file}.${process.pid}`, contents);
  await rename(`${file}.${process.pid}`, file);
}

/** One file for Node, which runs no TypeScript, of a module of this folder or of what exports modules; packages stay outside. */
export async function bundleForNode(source, outfile) {
  const { build } = await import('esbuild');
  const entry = source.startsWith('export')
    ? { stdin: { contents: source, resolveDir: root } }
    : { entryPoints: [path.join(root, source)] };
  const options = { bundle: true, platform: 'node', format: 'esm', packages: 'external', logLevel: 'warning' };
  await build({ ...entry, ...options, outfile });
  return outfile;
}
