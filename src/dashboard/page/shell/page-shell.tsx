import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { Compass, Menu } from 'lucide-react';
import { Component, lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { Link, Redirect, useLocation } from 'wouter';
import { type Alert, useAlerts } from '../data/alerts.ts';
import { later } from '../data/browser-time.ts';
import { ApiError, recordSource } from '../data/call-api.ts';
import { useClockSync } from '../data/emulator-clock.ts';
import { liveStream } from '../data/live-stream.ts';
import { loadModule } from '../data/load-module.ts';
import { useStore } from '../data/page-store.ts';
import { type Area, at } from '../data/paths.ts';
import { queries, useRecord } from '../data/queries.ts';
import { useIsPhone } from '../pieces/browser-hooks.ts';
import { Button, EmptyState, ErrorNotice, LinkButton, Notice } from '../pieces/page-parts.tsx';
import { pendingToasts, showToast } from '../pieces/toast.tsx';
import { type AreaPage, areaOf, loadedPages, loadPage, shortTitle, visibleAreas } from './areas.ts';
import { GlobalKeys, PaletteKey } from './keys.tsx';
import { TopBar } from './top-bar.tsx';
import './shell.css';

const TokenForm = lazy(() => import('./token-form.tsx'));

/** The whole page. No component may add styles of its own: the content security policy would refuse them. */
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

/** Beyond loopback nothing is shown before the control token is there. */
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
  restored: { title: 'A snapshot was restored', note: 'What you see now is its state.' },
  back: { title: 'Connected again', note: 'The emulator answers.' },
};

/** What a record has beside the pages: what goes with its moment, and the time along which it moves. */
interface TraceParts {
  aside: ReactNode;
  dock: ReactNode;
}

/** Navigation, top bar, and the area that the address names. */
function PageShell({ record }: { record: TraceParts | undefined }) {
  const [location] = useLocation();
  const area = areaOf(location);
  useClockSync();
  useEffect(() => liveStream.open((change) => showToast(CHANGES[change].title, CHANGES[change].note)), []);
  useEffect(() => {
    document.title = `${area?.title ?? 'Dashboard'} · ${recordSource.value ? 'trace' : `local :${portInUse()}`}`;
  }, [area]);
  if (location === '/' || location === '/dashboard') return <Redirect to={at.live()} replace />;
  return (
    <div className="shell" data-source={record && 'record'}>
      <a className="skip button" data-look="primary" href="#area">
        Skip to the page
      </a>
      <TopBar />
      <Navigation current={area?.under ?? area?.area} />
      <main className="area column" id="area" tabIndex={-1}>
        <OfflineBanner />
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

/** Says that the emulator has stopped. */
function OfflineBanner() {
  if (useStore(liveStream) !== 'down') return null;
  return (
    <Notice tone="bad">The emulator does not answer. This page comes back by itself as soon as it runs again.</Notice>
  );
}

/** An address that is none. */
function NoPage() {
  return (
    <EmptyState icon={Compass} title="There is no page at this address" inTrace>
      <p>It may be of another version of the emulator.</p>
      <LinkButton text="Go to Live" href={at.live()} />
    </EmptyState>
  );
}

interface ErrorBoundaryState {
  error?: unknown;
}

/** Keeps a fault of one area from taking the page along; after an update of the emulator, loading anew mends it. */
class ErrorBoundary extends Component<{ children: ReactNode }, ErrorBoundaryState> {
  override state: ErrorBoundaryState = {};

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <div className="form stack padded">
        <ErrorNotice error={error} />
        <Button onClick={() => window.location.reload()}>Load the page anew</Button>
      </div>
    );
  }
}

/** How many have a place in the bar of a phone; a page out of the others takes the last of them. */
const IN_BAR = 4;

/** All areas: at the left, on a phone some at the bottom and the others one tap away. */
function Navigation({ current }: { current: Area | undefined }) {
  const isPhone = useIsPhone();
  const alerts = useAlerts();
  const [location] = useLocation();
  // Whoever goes to another page is done with the list.
  const [openAt, setOpenAt] = useState<string>();
  const isOpen = openAt === location;
  const alertOf = (area: Area) => alerts.find((alert) => alert.area === area);
  const linkTo = (each: AreaPage, title = each.title) => (
    <li key={each.area}>
      <AreaLink {...each} title={title} isCurrent={each.area === current} alert={alertOf(each.area)} />
    </li>
  );
  const all = visibleAreas();
  const taken = all.slice(IN_BAR).find(({ area }) => area === current) ?? all[IN_BAR];
  const inBar = [...all.slice(0, IN_BAR), ...(taken ? [taken] : [])];
  const others = all.filter((each) => !inBar.includes(each));
  const waiting = others.filter(({ area }) => alertOf(area)).length;
  return (
    <nav className="navigation sunken" aria-label="Areas">
      {!isPhone && <ul>{all.map((each) => linkTo(each))}</ul>}
      {isPhone && isOpen && <ul className="more-areas">{others.map((each) => linkTo(each))}</ul>}
      {isPhone && (
        <ul className="bar-areas">
          {inBar.map((each) => linkTo(each, shortTitle(each)))}
          <li>
            <button
              type="button"
              className="bare"
              aria-expanded={isOpen}
              onClick={() => setOpenAt(isOpen ? undefined : location)}
            >
              <Menu aria-hidden />
              <span className="area-name cut grow">More</span>
              {waiting > 0 && <AlertBadge tone="wait" n={waiting} text={`${waiting} of these`} />}
            </button>
          </li>
        </ul>
      )}
    </nav>
  );
}

interface AreaLinkProps extends AreaPage {
  isCurrent: boolean;
  alert: Alert | undefined;
}

/** A mark beside a name says how much there needs somebody. */
function AreaLink({ area, title, icon: Icon, isCurrent, alert }: AreaLinkProps) {
  return (
    <Link href={at[area]()} aria-current={isCurrent ? 'page' : undefined}>
      <Icon aria-hidden />
      <span className="area-name cut grow">{title}</span>
      {alert && <AlertBadge {...alert} />}
    </Link>
  );
}

/** How much of an area needs somebody. */
function AlertBadge({ tone, n, text }: Pick<Alert, 'tone' | 'n' | 'text'>) {
  return (
    <span className="badge area-alert" data-tone={tone} aria-hidden title={text}>
      {n}
    </span>
  );
}

/** How long the corner leaves the rest of the page to itself, in milliseconds. */
const NO_HURRY = 2000;

const loadCorner = () => loadModule(() => import('../pieces/toast-corner.tsx'));
const ToastCorner = lazy(loadCorner);

/** To be drawn once, at the end of the page. It is loaded after it, or with the first thing that is said. */
function Toasts() {
  useEffect(() => later(NO_HURRY, () => void loadCorner()), []);
  if (useStore(pendingToasts) === undefined) return null;
  return (
    <Suspense fallback={null}>
      <ToastCorner />
    </Suspense>
  );
}
