import { gunzipSync, gzipSync } from 'node:zlib';
import { responseKey, type TraceFile } from '../../../src/control/trace/trace-file.ts';
import type { JournalEntry } from '../../../src/engine/journal/journal-record.ts';

/** The record in the HTML of a trace, as its script reads it. */
export function recordIn(html: string): TraceFile {
  const [, packed = ''] = /<script type="application\/gzip" id="record">([^<]*)<\/script>/.exec(html) ?? [];
  return JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString());
}

export function withRecord(html: string, record: object): string {
  const packed = gzipSync(JSON.stringify(record)).toString('base64');
  return html.replace(/(id="record">)[^<]*/, (_, before: string) => before + packed);
}

/** The requests of a trace, oldest first. */
export function requestsIn({ orders }: TraceFile): JournalEntry[] {
  const records = orders.flatMap(({ records }) => Object.entries(records));
  const requests = records.flatMap(([id, record]) => (id.startsWith('req_') ? [record as JournalEntry] : []));
  return requests.sort((a, b) => a.created - b.created || a.id.localeCompare(b.id));
}

/** The rows of a list of a trace, newest first. */
export function listIn(
  { answers }: TraceFile,
  ...[name, accountId]: Parameters<typeof responseKey>
): Record<string, unknown>[] {
  return Object(answers[responseKey(name, accountId)]).data;
}
