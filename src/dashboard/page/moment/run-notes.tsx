import { X } from 'lucide-react';
import { useState } from 'react';
import type { TraceFile } from '../../../trace/trace-file.ts';
import { Button } from '../pieces/page-parts.tsx';
import { formatNumber } from '../pieces/values.tsx';
import './moment.css';

/** Says what this record is not: of this version, or of everything that there was. */
export function RunNotes({ trace, note }: { trace: TraceFile; note: string | undefined }) {
  const [isRead, setRead] = useState(false);
  const notes = [...(note === undefined ? [] : [['Another version.', note]]), ...leftOutOf(trace)];
  if (isRead || notes.length === 0) return null;
  return (
    <div className="run-notes notice ruled small" data-tone="wait" role="status">
      <ul className="grow">
        {notes.map(([what, more]) => (
          <li key={what}>
            <b>{what}</b> <span>{more}</span>
          </li>
        ))}
      </ul>
      <Button look="quiet" icon={X} aria-label="Close these notes" onClick={() => setRead(true)} />
    </div>
  );
}

function leftOutOf({ head, tables }: TraceFile): string[][] {
  const { requests, files, rows } = head.leftOut ?? { requests: 0, files: 0 };
  const notes: string[][] = [];
  const kept = `The newest ${formatNumber(tables.requests.length)} are in it.`;
  if (requests > 0) notes.push([`${formatNumber(requests)} older requests are left out.`, kept]);
  const newest = rows && `The newest ${formatNumber(rows.kept)} of each are in it.`;
  if (rows && newest) notes.push([`Older rows are left out: ${rows.of.join(', ')}.`, newest]);
  if (files > 0)
    notes.push([`${formatNumber(files)} files are left out.`, 'Save the trace with whole media to have them.']);
  return notes;
}

/** In place of a record that cannot be read. */
export function DamagedPage({ why }: { why: string }) {
  return (
    <main className="empty column">
      <h1>This trace is damaged</h1>
      <p>{why}</p>
      <p className="soft">
        Copy the file anew from where it was written; a CI artifact that was cut off on its way is the usual cause.
      </p>
    </main>
  );
}
