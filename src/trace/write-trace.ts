import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { maskedJson } from './mask.ts';
import type { TraceFile } from './trace-file.ts';

const PAGE = '#dashboard/trace-page.html';
/** Where the record stands in the page. */
const PLACE = '<!--record-->';

/** Quick: the slowest packing is a tenth smaller, and takes five times as long. */
const LEVEL = 6;

/** The trace as one HTML page that needs nothing beside it; `secrets` are masked in it wherever they stand. */
export async function writeTrace(trace: TraceFile, secrets: readonly string[] = []): Promise<string> {
  const page = await readFile(createRequire(import.meta.url).resolve(PAGE), 'utf8');
  const { media, ...rest } = trace;
  const json = `${maskedJson(JSON.stringify(rest), secrets).slice(0, -1)},"media":${JSON.stringify(media)}}`;
  const packed = await promisify(gzip)(json, { level: LEVEL });
  const record = `<script type="application/gzip" id="record">${packed.toString('base64')}</script>`;
  // A function: what is inserted must not be read as a pattern.
  return page.replace(PLACE, () => record);
}
