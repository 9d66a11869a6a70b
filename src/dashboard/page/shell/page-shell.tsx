import { CSPProvider } from '@base-ui/react/csp-provider';
import { useMediaQuery } from '@base-ui/react/unstable-use-media-query';
import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { ClipboardCheck, Compass, Menu, Play, X } from 'lucide-react';
import { Component, type ReactNode, useEffect, useState } from 'react';
import { Link, Redirect, useLocation } from 'wouter';
import { ControlError } from '../../../control/control-errors.ts';
import { roundedDurationText } from '../../../control/orders/timeline-entry.ts';
import { ActionButton } from '../components/action-button.tsx';
import {
  Button,
  EmptyState,
  ErrorNotice,
  LinkButton,
  Notice,
  openRecordTitle,
  showToast,
} from '../components/page-parts.tsx';
import { useClock, useClockSync } from '../data/account-and-clock.ts';
import { browserNow, PageStore, useIsPhone, useStore } from '../data/browser.ts';
import { callControl, traceSource } from '../data/call-api.ts';
import { LazyComponentStore, lazyLoadError, useLazyComponent } from '../data/lazy-component.ts';
import { followLiveStream, liveStreamState } from '../data/live-stream.ts';
import { queryClient, useOperation } from '../data/queries.ts';
import { GlobalKeyboardShortcuts } from './keys.tsx';
import { TopBar } from './top-bar.tsx';
import './shell.css';
import { formatExactTime } from '../components/values.tsx';
import { type Alert, useAlerts } from '../data/alerts.ts';
import { type AreaPage, areaPathBuilders, findAreaPageByPath, navigationAreas } from '../data/areas.ts';

/** The number of areas that are always in the bar of a phone. After them comes the open area, or else the next one. */
const IN_BAR = 4;

function Navigation({ current }: { current: string | undefined }) {
  const isPhone = useIsPhone();
  const isRail = useMediaQuery('(max-width: 1160px)', {});
  const alerts = useAlerts();
  const [location] = useLocation();
  // The address at which the menu was opened. The menu closes when another page is opened.
  const [openAt, setOpenAt] = useState<string>();
  const isOpen = openAt === location;
  const all = navigationAreas();
  const taken = all.slice(IN_BAR).find(({ area }) => area === current) ?? all[IN_BAR];
  const inBar = isPhone ? all.filter((each, at) => at < IN_BAR || each === taken) : all;
  const others = all.filter((each) => !inBar.includes(each));
  const alertOf = ({ area }: AreaPage) => alerts.find((alert) => alert.area === area);
  const waiting = others.filter(alertOf).length;
  const linkTo = (page: AreaPage, title = page.title) => {
    const { area, icon: Icon } = page;
    const alert = alertOf(page);
    return (
      <li key={area}>
        <Link href={areaPathBuilders[area]()} aria-current={area === current ? 'page' : undefined}>
          <Icon aria-hidden />
          <span className="area-name cut grow">{title}</span>
          {alert && <AlertBadge {...alert} />}
        </Link>
      </li>
    );
  };
  return (
    <nav className="navigation sunken" aria-label="Areas">
      {isPhone && isOpen && (
        <ul className="more-areas">
          {others.map((each) => linkTo(each))}
          <CheckLink />
        </ul>
      )}
      <ul className={isPhone ? 'bar-areas' : undefined}>
        {inBar.map((each) => linkTo(each, isRail ? each.title.split(' and ')[0] : each.title))}
        {!isPhone && <CheckLink />}
        {others.length > 0 && (
          <li>
            <button
              type="button"
              className="bare"
              aria-expanded={isOpen}
              onClick={() => setOpenAt(isOpen ? undefined : location)}
            >
              <Menu aria-hidden />
              <span className="area-name cut grow">More</span>
              {waiting > 0 && <AlertBadge tone="wait" n={waiting} text={`${waiting} waiting`} />}
            </button>
          </li>
        )}
      </ul>
    </nav>
  );
}

const CHECK = '/check';

function CheckLink() {
  const { data } = useQuery({
    queryKey: ['check'],
    queryFn: async () => (await fetch(window.location.pathname, { method: 'HEAD' })).headers.get('link') ?? '',
    enabled: traceSource.value === undefined,
    refetchOnWindowFocus: 'always',
  });
  if (!data?.includes(`<${CHECK}>`)) return null;
  return (
    <li>
      <a href={CHECK}>
        <ClipboardCheck aria-hidden />
        <span className="area-name cut grow">Check</span>
      </a>
    </li>
  );
}

function AlertBadge({ tone, n, text }: Pick<Alert, 'tone' | 'n' | 'text'>) {
  return (
    <span className="badge area-alert" data-tone={tone} aria-hidden title={text}>
      {n}
    </span>
  );
}

const restoredClock = new PageStore(false);

function RestoredClock() {
  const isRestored = useStore(restoredClock);
  const { now, isFrozen, movedBy, isBehind } = useClock();
  if (!isRestored || (!isFrozen && !isBehind)) return null;
  const done = () => restoredClock.set(false);
  const frozen = `The clock of the snapshot is frozen at ${formatExactTime(now)}. Jobs do not finish, and nothing expires.`;
  const behind = `The clock of the snapshot is ${roundedDurationText(-movedBy)} behind.`;
  const [text, change] = isFrozen
    ? ['Resume', { frozen: false }]
    : ['Set to now', { now: new Date(browserNow()).toISOString() }];
  return (
    <Notice tone="wait">
      <span className="row wrap">
        <span className="grow">{isFrozen ? frozen : behind}</span>
        <ActionButton {...{ text, icon: Play }} act={() => callControl('setClock', change)} onSuccess={done} />
        <Button variant="quiet" icon={X} text="Dismiss" isSmall onClick={done} />
      </span>
    </Notice>
  );
}

const TOKEN_FORM = new LazyComponentStore(() => import('./token-form.tsx'));

/** `CSPProvider` turns off styles that components add at run time, because the content security policy blocks them. */
export function Dashboard({ aside }: { aside?: ReactNode }) {
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <ErrorBoundary>
          <RequireToken aside={aside} />
          <Toasts />
        </ErrorBoundary>
      </QueryClientProvider>
    </CSPProvider>
  );
}

function RequireToken({ aside }: { aside: ReactNode }) {
  const { error } = useOperation('getClock', {});
  const TokenForm = useLazyComponent(TOKEN_FORM);
  if (error instanceof ControlError && error.status === 401) return TokenForm && <TokenForm />;
  return <PageShell aside={aside} />;
}

const CHANGES = {
  reset: { title: 'The emulator was reset', note: 'Everything is back to the seeded state.' },
  restored: { title: 'A snapshot was restored', note: 'You now see its state.' },
  back: { title: 'Reconnected', note: 'The emulator responds again.' },
};

function announce(change: keyof typeof CHANGES): void {
  showToast(CHANGES[change].title, CHANGES[change].note);
  if (change === 'restored') restoredClock.set(true);
}

function PageShell({ aside }: { aside: ReactNode }) {
  const [location] = useLocation();
  const area = findAreaPageByPath(location);
  const title = useStore(openRecordTitle);
  const isOffline = useStore(liveStreamState) === 'down';
  useClockSync();
  useEffect(() => followLiveStream(announce), []);
  const source = traceSource.value ? 'trace' : `local :${window.location.port || '80'}`;
  if (location === '/' || location === '/dashboard') return <Redirect to={areaPathBuilders.live()} replace />;
  return (
    <div className="shell" data-source={aside && 'record'}>
      <title>{[title, area?.title ?? 'Dashboard', source].filter(Boolean).join(' · ')}</title>
      <a className="skip button" data-variant="primary" href="#area">
        Skip to main content
      </a>
      <TopBar />
      <Navigation current={area?.under ?? area?.area} />
      <main className="area column" id="area" tabIndex={-1}>
        {isOffline && (
          <Notice tone="bad">The emulator does not respond. This page reconnects as soon as it runs again.</Notice>
        )}
        <RestoredClock />
        <ErrorBoundary key={area?.area}>{area ? <LatePage area={area} /> : <NoPage />}</ErrorBoundary>
      </main>
      {aside}
      <GlobalKeyboardShortcuts />
    </div>
  );
}

function LatePage({ area }: { area: AreaPage }) {
  const Page = useLazyComponent(area.page);
  const error = useStore(lazyLoadError);
  if (!Page && error !== undefined) return <FailedPage error={error} />;
  return Page ? <Page /> : <div className="loading fill" role="status" aria-label="Loading" />;
}

function NoPage() {
  return (
    <EmptyState icon={Compass} title="There is no page at this address" inTrace>
      <p>It may belong to another version of the emulator.</p>
      <LinkButton text="Go to Live" href={areaPathBuilders.live()} />
    </EmptyState>
  );
}

/**
 * Shows an error of the page with a button that reloads the page. A reload may help, because an update of the emulator
 * may have caused the error.
 */
class ErrorBoundary extends Component<{ children: ReactNode }, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error === undefined ? this.props.children : <FailedPage error={error} />;
  }
}

function FailedPage({ error }: { error: unknown }) {
  return (
    <div className="form stack padded">
      <ErrorNotice error={error} />
      <Button text="Reload the page" onClick={() => window.location.reload()} />
    </div>
  );
}

const TOAST_CORNER = new LazyComponentStore(() => import('../components/toast-corner.tsx'));

function Toasts() {
  const ToastCorner = useLazyComponent(TOAST_CORNER);
  return ToastCorner && <ToastCorner />;
}
