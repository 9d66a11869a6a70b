import { useEffect } from 'react';
import type { TraceFile } from '../../../trace/trace-file.ts';
import { formatNumber } from '../pieces/credits.tsx';
import { say } from '../pieces/toast.tsx';

/** Says once what this record is not: of another version, or not of everything that there was. */
export function RunNotes({ trace: { head, tables }, note }: { trace: TraceFile; note: string | undefined }) {
  useEffect(() => {
    const { requests, files, rows } = head.leftOut;
    if (note !== undefined) say('Another version', note);
    if (requests > 0) {
      const kept = `The newest ${formatNumber(tables.requests.length)} are in it.`;
      say(`${formatNumber(requests)} older requests are left out`, kept);
    }
    if (rows)
      say(`Older rows are left out: ${rows.of.join(', ')}`, `The newest ${formatNumber(rows.kept)} of each are in it.`);
    if (files > 0) say(`${formatNumber(files)} files are left out`, 'Save the trace with whole media to have them.');
  }, [head, tables, note]);
  return null;
}
