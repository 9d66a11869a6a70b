// These styles must come before the styles of areas, which refine them.
import './components/tokens.css';
import './components/components.css';
import { X } from 'lucide-react';
import { useState, useSyncExternalStore } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { Router } from 'wouter';
import type { TraceFile } from '../../control/trace/trace-file.ts';
import { Button } from './components/page-parts.tsx';
import { pluralizeCount } from './components/values.tsx';
import { setAreaPages } from './data/areas.ts';
import { traceSource } from './data/call-api.ts';
import {
  DamagedTraceError,
  describeTraceFormatMismatch,
  readTraceFromPage,
  TraceResponseSource,
} from './data/trace-record.ts';
import { Dashboard } from './shell/page-shell.tsx';
import { CommandOutputPanel } from './trace/output.tsx';

/** The location is in the hash, because a trace is one file without a server. */
function subscribe(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

function here(): string {
  return window.location.hash.slice(1) || '/';
}

function navigate(to: string, { replace = false }: { replace?: boolean } = {}): void {
  window.history[replace ? 'replaceState' : 'pushState'](null, '', `#${to}`);
  window.dispatchEvent(new Event('hashchange'));
}

function useHashLocation(): [string, typeof navigate] {
  const path = useSyncExternalStore(subscribe, () => here().split('?')[0] ?? '/');
  return [path, navigate];
}

function useHashSearch(): string {
  return useSyncExternalStore(subscribe, () => here().split('?')[1] ?? '');
}

const root = document.getElementById('page');
if (root) await open(createRoot(root));

function openTrace(root: Root, trace: TraceFile): void {
  setAreaPages({
    live: () => import('./live/live-page.tsx'),
    money: () => import('./money/money-page.tsx'),
    webhooks: () => import('./webhooks/webhooks-page.tsx'),
    output: () => import('./trace/output.tsx'),
    timeline: () => import('./timeline/timeline-page.tsx'),
  });
  traceSource.set(new TraceResponseSource(trace));
  const aside = (
    <>
      <CommandOutputPanel as="aside" />
      <RunNotes trace={trace} note={describeTraceFormatMismatch(trace)} />
    </>
  );
  root.render(
    <Router hook={useHashLocation} searchHook={useHashSearch} hrefs={(href) => `#${href}`}>
      <Dashboard aside={aside} />
    </Router>,
  );
}

async function open(root: Root): Promise<void> {
  try {
    openTrace(root, await readTraceFromPage(document));
  } catch (error) {
    if (!(error instanceof DamagedTraceError)) throw error;
    root.render(<DamagedPage why={error.message} />);
  }
}

function RunNotes({ trace, note }: { trace: TraceFile; note: string | undefined }) {
  const [isRead, setRead] = useState(false);
  const { scenario = [], failure } = trace.head;
  const notes = [
    ...(failure ? [['Failed:', failure]] : []),
    ...scenario.map((line) => ['Injected:', line]),
    ...(note === undefined ? [] : [['Another version.', note]]),
    ...leftOutOf(trace),
  ];
  if (isRead || notes.length === 0) return null;
  return (
    <div className="run-notes notice ruled small" data-tone={failure ? 'bad' : 'wait'} role="status">
      <ul className="grow">
        {notes.map(([what, more]) => (
          <li key={what}>
            <b>{what}</b> <span className="pre">{more}</span>
          </li>
        ))}
      </ul>
      <Button variant="quiet" icon={X} text="Close the notes" isSmall onClick={() => setRead(true)} />
    </div>
  );
}

function leftOutOf({ head }: TraceFile): string[][] {
  const { requests, files, rows = [] } = head.leftOut ?? { requests: 0, files: 0 };
  const newest = 'The trace contains the newest.';
  const are = (n: number, what: string) => `${pluralizeCount(n, what)} ${n === 1 ? 'is' : 'are'} left out.`;
  return [
    ...(requests > 0 ? [[are(requests, 'older request'), newest]] : []),
    ...(rows.length > 0 ? [[`Older rows are left out: ${rows.join(', ')}.`, newest]] : []),
    ...(files > 0 ? [[are(files, 'file'), 'Save the trace with whole media to include them.']] : []),
  ];
}

function DamagedPage({ why }: { why: string }) {
  return (
    <main className="empty column">
      <h1>This trace is damaged</h1>
      <p>{why}</p>
      <p className="soft">
        Copy the file again from its source. The usual cause is an incomplete download of a CI artifact.
      </p>
    </main>
  );
}
