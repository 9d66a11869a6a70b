import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { Compass } from 'lucide-react';
import { Component, lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { Redirect, useLocation } from 'wouter';
import { useClockSync } from '../data/account-and-clock.ts';
import { at } from '../data/addresses.ts';
import { later, useStore } from '../data/browser.ts';
import { ApiError, recordSource } from '../data/call-api.ts';
import { liveStream } from '../data/live-stream.ts';
import { loadModule } from '../data/load-module.ts';
import { queries, useRecord } from '../data/queries.ts';
import { Button, EmptyState, ErrorNotice, LinkButton, pendingToasts, showToast } from '../pieces/page-parts.tsx';
import { type AreaPage, areaOf, loadedPages, loadPage } from './areas.ts';
import { GlobalKeys, PaletteKey } from './keys.tsx';
import { Navigation } from './navigation.tsx';
import { restoredClock, StateNotices } from './state-notices.tsx';
import { TopBar } from './top-bar.tsx';
import './shell.css';

const TokenForm = lazy(() => import('./token-form.tsx'));

/** The whole page. The content security policy refuses styles that components add at run time. */
export function Dashboard({ record }: { record?: TraceParts }) {
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <RequireToken record={record} />
        <Toasts />
      </QueryClientProvider>
    </CSPProvider>
  );
}

/** Beyond loopback the page asks for the control token first. */
function RequireToken({ record }: { record: TraceParts | undefined }) {
  const { error } = useRecord('/clock');
  if (error instanceof ApiError && error.status === 401) {
    return (
      <Suspense fallback={null}>
        <TokenForm />
      </Suspense>
    );
  }
  return <PageShell record={record} />;
}

const CHANGES = {
  reset: { title: 'The emulator was reset', note: 'Everything is back to the seeded state.' },
  restored: { title: 'A snapshot was restored', note: 'You now see its state.' },
  back: { title: 'Reconnected', note: 'The emulator answers.' },
};

function announce(change: keyof typeof CHANGES): void {
  showToast(CHANGES[change].title, CHANGES[change].note);
  if (change === 'restored') restoredClock.set(true);
}

/** The additional parts of a trace: its output and notes, and the playback bar. */
interface TraceParts {
  aside: ReactNode;
  dock: ReactNode;
}

/** Navigation, top bar and the current area. */
function PageShell({ record }: { record: TraceParts | undefined }) {
  const [location] = useLocation();
  const area = areaOf(location);
  useClockSync();
  useEffect(() => liveStream.open(announce), []);
  useEffect(() => {
    document.title = `${area?.title ?? 'Dashboard'} · ${recordSource.value ? 'trace' : `local :${portInUse()}`}`;
  }, [area]);
  if (location === '/' || location === '/dashboard') return <Redirect to={at.live()} replace />;
  return (
    <div className="shell" data-source={record && 'record'}>
      <a className="skip button" data-variant="primary" href="#area">
        Skip to the page
      </a>
      <TopBar />
      <Navigation current={area?.under ?? area?.area} />
      <main className="area column" id="area" tabIndex={-1}>
        <StateNotices />
        <ErrorBoundary key={area?.area}>{area ? <LazyPage area={area} /> : <NoPage />}</ErrorBoundary>
      </main>
      {record?.aside}
      {record?.dock}
      {!record && <PaletteKey />}
      <GlobalKeys />
    </div>
  );
}

/** The page of an area, which is loaded when it is first opened. React would hold it back a while after a sign of waiting. */
function LazyPage({ area }: { area: AreaPage }) {
  const Page = useStore(loadedPages)[area.area];
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    if (!Page) loadPage(area).catch(setError);
  }, [area, Page]);
  if (error !== undefined) throw error;
  return Page ? <Page /> : <div className="loading fill" role="status" aria-label="Loading" />;
}

function portInUse(): string {
  return window.location.port || '80';
}

/** Shown for an unknown address. */
function NoPage() {
  return (
    <EmptyState icon={Compass} title="There is no page at this address" inTrace>
      <p>It may belong to another version of the emulator.</p>
      <LinkButton text="Go to Live" href={at.live()} />
    </EmptyState>
  );
}

/** Confines an error to one area. After an update of the emulator, reloading the page fixes it. */
class ErrorBoundary extends Component<{ children: ReactNode }, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <div className="form stack padded">
        <ErrorNotice error={error} />
        <Button onClick={() => window.location.reload()}>Reload the page</Button>
      </div>
    );
  }
}

/** The delay before the corner is loaded, in milliseconds. */
const NO_HURRY = 2000;

const loadCorner = () => loadModule(() => import('../pieces/toast-corner.tsx'));
const ToastCorner = lazy(loadCorner);

/** Rendered once, at the end of the page. It is loaded after the page, or with the first message. */
function Toasts() {
  useEffect(() => later(NO_HURRY, () => void loadCorner()), []);
  if (useStore(pendingToasts) === undefined) return null;
  return (
    <Suspense fallback={null}>
      <ToastCorner />
    </Suspense>
  );
}
