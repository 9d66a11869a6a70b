import type { ReportFile } from '../../../control/orders/report-file.ts';
import { TRACE_FORMAT, type TraceFile } from '../../../control/trace/trace-file.ts';
import { PageStore } from './browser.ts';

/** The file is not a trace, or is damaged. */
export class DamagedTrace extends Error {
  override name = 'DamagedTrace';
}

const EMPTY: Pick<TraceFile, 'lists' | 'explained' | 'output' | 'media'> = {
  ...{ lists: {}, explained: {}, output: [], media: {} },
};
const NO_TABLES: TraceFile['tables'] = {
  ...{ requests: [], jobs: [], entries: [], events: [], deliveries: [], runs: [], acts: [] },
};

/** The trace in a page. Throws `DamagedTrace` for an incomplete one, and for what is none. */
export async function readTrace(html: Document): Promise<TraceFile> {
  return checked(await readRecord(html));
}

/** What a page holds: a report, or a trace. Throws `DamagedTrace`. */
export async function readPage(html: Document): Promise<ReportFile | TraceFile> {
  const record = await readRecord(html);
  return 'report' in record ? record : checked(record);
}

async function readRecord(html: Document): Promise<ReportFile | Partial<TraceFile>> {
  const packed = html.getElementById('record')?.textContent;
  if (!packed) throw new DamagedTrace('The file contains no trace: its beginning or its end is missing.');
  try {
    const bytes = Uint8Array.from(atob(packed), (char) => char.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return JSON.parse(await new Response(plain).text());
  } catch {
    throw new DamagedTrace('The record in this file cannot be unpacked: some of its bytes are missing or changed.');
  }
}

/** What another version did not write is empty. */
function checked(found: ReportFile | Partial<TraceFile>): TraceFile {
  const { head, tables } = 'report' in found ? {} : found;
  if (typeof head?.span?.began !== 'number' || typeof head.span.ended !== 'number' || !tables) {
    throw new DamagedTrace('The record in this file says of no run when it began and ended.');
  }
  const marks = head.marks?.length ? head.marks : [{ real: head.span.began, now: head.span.began, runs: true }];
  return { ...EMPTY, ...found, head: { ...head, marks }, tables: { ...NO_TABLES, ...tables } };
}

/** A note for a trace of another format version. */
export function versionNote({ head }: TraceFile): string | undefined {
  if (head.format === TRACE_FORMAT) return undefined;
  return `This trace was written by version ${head.version}, in the format ${head.format}; this page reads the format ${TRACE_FORMAT}. What it does not know is left out.`;
}

/** The second trace of a comparison, and the name of its file. */
export const secondRun = new PageStore<{ trace: TraceFile; file: string } | undefined>(undefined);
