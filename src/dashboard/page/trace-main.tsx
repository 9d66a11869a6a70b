import { useSyncExternalStore } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { Router } from 'wouter';
import { DropRun } from './compare/compare-page.tsx';
import { printedPage } from './data/call-api.ts';
import { momentStore } from './data/moment.ts';
import { DamagedTrace, readRecord, versionNote } from './data/read-record.ts';
import './pieces/tokens.css';
import './pieces/pieces.css';
import { followTheme } from './data/page-store.ts';
import { OutputPane, PrintedPage } from './moment/output-pane.tsx';
import { DamagedPage, RunNotes } from './moment/run-notes.tsx';
import { TimeDock } from './moment/time-dock.tsx';
import { Dashboard } from './shell/page-shell.tsx';

/** Where a page of one file is: behind the # of its address, since there is nobody to ask for another one. */
function subscribe(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

function here(): string {
  return window.location.hash.slice(1) || '/';
}

function navigate(to: string, { replace = false }: { replace?: boolean } = {}): void {
  const path = to.startsWith('?') ? here().split('?')[0] + to : to;
  if (path === here()) return;
  if (replace) window.history.replaceState(null, '', `#${path}`);
  else window.history.pushState(null, '', `#${path}`);
  window.dispatchEvent(new Event('hashchange'));
}

function useHashLocation(): [string, typeof navigate] {
  const path = useSyncExternalStore(subscribe, () => here().split('?')[0] ?? '/');
  return [path, navigate];
}

function useHashSearch(): string {
  return useSyncExternalStore(subscribe, () => here().split('?')[1] ?? '');
}

/** A link's address, as a click with the middle button opens it. */
function hashHref(href: string): string {
  return `#${href}`;
}

followTheme();
const place = document.getElementById('page');
if (place) await open(createRoot(place));

/** The dashboard's own pages over the record in this file. */
async function open(root: Root): Promise<void> {
  try {
    const trace = await readRecord(document);
    momentStore.show(trace);
    printedPage.set(PrintedPage);
    const aside = (
      <>
        <OutputPane />
        <DropRun />
        <RunNotes trace={trace} note={versionNote(trace)} />
      </>
    );
    root.render(
      <Router hook={useHashLocation} searchHook={useHashSearch} hrefs={hashHref}>
        <Dashboard record={{ aside, dock: <TimeDock /> }} />
      </Router>,
    );
  } catch (error) {
    if (!(error instanceof DamagedTrace)) throw error;
    root.render(<DamagedPage why={error.message} />);
  }
}
