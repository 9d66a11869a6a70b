import { createRoot, type Root } from 'react-dom/client';
import { Router } from 'wouter';
import { DropRun } from './compare/drop-run.tsx';
import { printedPage } from './data/call-api.ts';
import { hashHref, useHashLocation, useHashSearch } from './data/hash-location.ts';
import { momentStore } from './data/moment.ts';
import { DamagedTrace, readRecord, versionNote } from './data/read-record.ts';
import './pieces/tokens.css';
import './pieces/pieces.css';
import { followTheme } from './data/page-store.ts';
import { OutputPane, PrintedPage } from './moment/output-pane.tsx';
import { DamagedPage, RunNotes } from './moment/run-notes.tsx';
import { TimeDock } from './moment/time-dock.tsx';
import { Dashboard } from './shell/dashboard.tsx';

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
