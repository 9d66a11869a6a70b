import { gunzipSync, gzipSync } from 'node:zlib';
import type { TraceFile } from '../../../src/control/trace/trace-file.ts';

/** The record in a page, as its script reads it. */
export function recordIn(html: string): TraceFile {
  const [, packed = ''] = /<script type="application\/gzip" id="record">([^<]*)<\/script>/.exec(html) ?? [];
  return JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString());
}

/** The same page with another record in it. */
export function withRecord(html: string, record: object): string {
  const packed = gzipSync(JSON.stringify(record)).toString('base64');
  return html.replace(/(id="record">)[^<]*/, (_, before: string) => before + packed);
}
