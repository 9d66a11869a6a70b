import { type ReactNode, Suspense, useEffect } from 'react';
import { Redirect, useLocation } from 'wouter';
import { useClockKeeper } from '../data/emulator-clock.ts';
import { liveLine } from '../data/live-line.ts';
import { at } from '../data/paths.ts';
import { recordSource } from '../data/record-source.ts';
import { say } from '../pieces/toast.tsx';
import { areaOf } from './areas.ts';
import { GoKeys } from './go-keys.tsx';
import { LineBanner } from './line-banner.tsx';
import { Navigation } from './navigation.tsx';
import { NoPage } from './no-page.tsx';
import { PageFault } from './page-fault.tsx';
import { PaletteKey } from './palette-key.tsx';
import { TopBar } from './top-bar.tsx';
import './shell.css';

const CHANGES = {
  reset: { title: 'The emulator was reset', note: 'Everything is back to the seeded state.' },
  restored: { title: 'A snapshot was restored', note: 'What you see now is its state.' },
  back: { title: 'Connected again', note: 'The emulator answers.' },
};

/** What a record has beside the pages: what goes with its moment, and the time along which it moves. */
export interface RecordParts {
  aside: ReactNode;
  dock: ReactNode;
}

/** Navigation, top bar, and the area that the address names. */
export function PageShell({ record }: { record: RecordParts | undefined }) {
  const [location] = useLocation();
  const area = areaOf(location);
  useClockKeeper();
  useEffect(() => liveLine.open((change) => say(CHANGES[change].title, CHANGES[change].note)), []);
  useEffect(() => {
    document.title = `${area?.title ?? 'Dashboard'} · ${recordSource.value ? 'trace' : `local :${portInUse()}`}`;
  }, [area]);
  if (location === '/' || location === '/dashboard') return <Redirect to={at.live()} replace />;
  const Page = area?.page ?? NoPage;
  return (
    <div className="shell" data-source={record && 'record'}>
      <a className="skip button" data-look="primary" href="#area">
        Skip to the page
      </a>
      <TopBar />
      <Navigation current={area?.under ?? area?.area} />
      <main className="area column" id="area" tabIndex={-1}>
        <LineBanner />
        <PageFault key={area?.area}>
          <Suspense fallback={<div className="loading fill" role="status" aria-label="Loading" />}>
            <Page />
          </Suspense>
        </PageFault>
      </main>
      {record?.aside}
      {record?.dock}
      {!record && <PaletteKey />}
      <GoKeys />
    </div>
  );
}

function portInUse(): string {
  return window.location.port || '80';
}
