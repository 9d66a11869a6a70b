import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pipeline } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import type { OutputLine } from '../../base/output/output-line.ts';
import { Mask } from '../mask/mask.ts';
import type { TraceFile } from './trace-file.ts';

export type SyncOrAsyncIterable<Item> = Iterable<Item> | AsyncIterable<Item>;

const MAX_LINE = 4000;

export async function* streamMaskedJsonList(rows: SyncOrAsyncIterable<object>, mask: Mask): AsyncGenerator<string> {
  let before = '[';
  for await (const row of rows) {
    yield before + mask.json(row);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

export async function* streamJsonObject(
  fields: SyncOrAsyncIterable<readonly [string, SyncOrAsyncIterable<string>]>,
): AsyncGenerator<string> {
  let before = '{';
  for await (const [name, pieces] of fields) {
    yield `${before}${JSON.stringify(name)}:`;
    yield* pieces;
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

/** Masks the output before it is cut, because half a secret is not recognized. */
export function maskAndCutOutput(output: readonly OutputLine[], mask: Mask): OutputLine[] {
  return output.map((line) => ({ ...line, text: mask.text(line.text).slice(0, MAX_LINE) }));
}

const PAGE = '#dashboard/trace-page.html';
const PLACE = '<!--record-->';

const TOGETHER = 65_536;

/** Makes a page that needs no other file. Masks keys and `secrets` in it. */
export async function renderTracePage(trace: TraceFile, secrets: readonly string[] = []): Promise<string> {
  const mask = new Mask(secrets);
  const output = maskAndCutOutput(trace.output, mask);
  return text(streamTracePage([mask.json({ ...trace, output })]));
}

export async function* streamTracePage(record: SyncOrAsyncIterable<string>): AsyncGenerator<string> {
  const page = await readFile(createRequire(import.meta.url).resolve(PAGE), 'utf8');
  const place = page.indexOf(PLACE);
  yield page.slice(0, place);
  yield '<script type="application/gzip" id="record">';
  const packed = pipeline(together(record), createGzip(), () => undefined);
  yield* packed.setEncoding('base64');
  yield `</script>${page.slice(place + PLACE.length)}`;
}

async function* together(pieces: SyncOrAsyncIterable<string>): AsyncGenerator<string> {
  let gathered = '';
  for await (const piece of pieces) {
    gathered += piece;
    if (gathered.length < TOGETHER) continue;
    yield gathered;
    gathered = '';
  }
  yield gathered;
}
