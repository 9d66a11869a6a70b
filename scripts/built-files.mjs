import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

export const root = path.join(import.meta.dirname, '..');
export const dist = path.join(root, 'dist');

/**
 * Packages that no bundle contains: native ones, binaries, and those loaded by name. Also those that many processes never
 * use, because the text of a bundle stays in memory.
 */
export const EXTERNAL = [
  ...['sharp', '@ffmpeg-installer/ffmpeg', 'pino'],
  ...['multer', 're2js', 'undici', 'yaml', '@modelcontextprotocol/server', '@modelcontextprotocol/server/*'],
];

/** Defines `require` and `__dirname` in an ES module, for the CommonJS packages that are bundled into it. */
export const REQUIRE =
  "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url), __dirname = import.meta.dirname;";

/** Writes a temporary file and renames it, so that no reader sees half a file. */
export async function replaceFile(file, contents) {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(`${file}.${process.pid}`, contents);
  await rename(`${file}.${process.pid}`, file);
}

/** Bundles TypeScript for Node, without packages. `source` is a path below the root, or code that starts with `export`. */
export async function bundleForNode(source, outfile) {
  const { build } = await import('esbuild');
  const entry = source.startsWith('export')
    ? { stdin: { contents: source, resolveDir: root } }
    : { entryPoints: [path.join(root, source)] };
  const options = { bundle: true, platform: 'node', format: 'esm', packages: 'external', logLevel: 'warning' };
  await build({ ...entry, ...options, outfile });
  return outfile;
}
