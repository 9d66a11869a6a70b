import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Mask } from './mask.ts';
import type { TraceFile } from './trace-file.ts';

const PAGE = '#dashboard/trace-page.html';
/** Where the record stands in the page. */
const PLACE = '<!--record-->';

/** Quick: the slowest packing is a tenth smaller, and takes five times as long. */
const LEVEL = 6;
/** Characters of a line of output. */
const LONGEST_LINE = 4000;

/** The trace as one HTML page that needs nothing beside it; `secrets` are masked in it wherever they stand. */
export async function writeTrace(trace: TraceFile, secrets: readonly string[] = []): Promise<string> {
  const page = await readFile(createRequire(import.meta.url).resolve(PAGE), 'utf8');
  const mask = new Mask(secrets);
  const { media, ...rest } = trace;
  // Masked before it is cut: half of a secret would be none that is known.
  const output = trace.output.map((line) => ({ ...line, text: mask.text(line.text).slice(0, LONGEST_LINE) }));
  const json = `${mask.json({ ...rest, output }).slice(0, -1)},"media":${JSON.stringify(media)}}`;
  const packed = await promisify(gzip)(json, { level: LEVEL });
  const record = `<script type="application/gzip" id="record">${packed.toString('base64')}</script>`;
  // A function: what is inserted must not be read as a pattern.
  return page.replace(PLACE, () => record);
}
