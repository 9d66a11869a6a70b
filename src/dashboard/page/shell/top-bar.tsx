import * as icons from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { durationText, roundedDurationText } from '../../../control/orders/timeline-entry.ts';
import type { TraceFile } from '../../../control/trace/trace-file.ts';
import { ActionButton } from '../components/action-button.tsx';
import { Button } from '../components/page-parts.tsx';
import {
  accountDisplayName,
  formatExactTime,
  formatNumber,
  formatTimeOfDay,
  useCopyToClipboard,
} from '../components/values.tsx';
import { useAccountSelection, useClock, WELL_KNOWN_KEY } from '../data/account-and-clock.ts';
import { useAlerts } from '../data/alerts.ts';
import { areaPathBuilders } from '../data/areas.ts';
import { themePreference, useStore } from '../data/browser.ts';
import { callControl, traceSource } from '../data/call-api.ts';
import { LazyComponentStore, useLazyComponent } from '../data/lazy-component.ts';
import { liveStreamState } from '../data/live-stream.ts';
import { toggleCommandPalette } from './keys.tsx';

export function TopBar() {
  const { accounts, areAll, only } = useAccountSelection();
  const [state, tone] = STREAM_STATES[useStore(liveStreamState)];
  const trace = traceSource.value?.trace;
  const sum = accounts.reduce((total, { credits }) => total + credits, 0);
  return (
    <header className="top-bar row ruled sunken">
      <div className="brand row fixed">
        <span className="brand-mark centred" aria-hidden>
          ›_
        </span>
        svc-emulator <span className="kbd wide-only">{trace ? 'trace' : 'local'}</span>
      </div>
      <div className="row grow">
        {trace ? (
          <RecordTitle {...trace.head} />
        ) : (
          <span className="row wide-only">
            <CopyValue label="base URL" text={`${window.location.origin}/v1`} short={`${window.location.host}/v1`} />
            <KeyInBar />
          </span>
        )}
        {(!trace || accounts.length > 1) && <AccountPicker />}
        <span className="balance soft cut" title="Balance">
          <strong>{formatNumber(only?.credits ?? sum)}</strong> {(only?.credits ?? sum) === 1 ? 'credit' : 'credits'}
          {!only &&
            accounts.length > 1 &&
            ` in ${areAll ? '' : 'the newest '}${formatNumber(accounts.length)} accounts`}
        </span>
      </div>
      <div className="row">
        <ArmedFaults />
        <ClockFace />
        {!trace && (
          <span className="live-dot row soft" data-tone={tone} role="status">
            {state}
          </span>
        )}
        {!trace && (
          <button type="button" className="top-search button" onClick={toggleCommandPalette}>
            <icons.Search aria-hidden />
            <span className="unseen">Search everything</span>
            <span className="wide-word" aria-hidden>
              Search
            </span>
            <span className="kbd wide-only" aria-hidden>
              Ctrl K
            </span>
          </button>
        )}
        <ThemeChoice />
      </div>
    </header>
  );
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

function RecordTitle({ title, exit, span, version }: TraceFile['head']) {
  const took = durationText(span.ended - span.began);
  const about = [exit === null ? '' : `exit ${exit}`, took, DAY.format(span.began), `svc-emulator ${version}`];
  return (
    <>
      <span className="record-title cut small mono" title={title}>
        {title}
      </span>
      <span className="record-about soft fixed">{about.filter(Boolean).join(' · ')}</span>
    </>
  );
}

function ClockFace() {
  const { now, isFrozen, movedBy } = useClock();
  const Icon = isFrozen ? icons.Snowflake : movedBy === 0 ? icons.Clock : icons.FastForward;
  const moved = movedBy === 0 ? '' : `${movedBy > 0 ? '+' : '−'}${roundedDurationText(Math.abs(movedBy))}`;
  const state = [isFrozen ? 'frozen' : '', moved].filter(Boolean).join(' ');
  const look = {
    className: 'button',
    'data-variant': 'quiet',
    'data-tone': state ? 'wait' : undefined,
    title: `The emulator's clock: ${formatExactTime(now)}${state && `, ${state}`}`,
  };
  const face = (
    <>
      <Icon aria-hidden />
      <span className="unseen">Clock: </span>
      <span className="clock-time">{formatTimeOfDay(now)}</span>
      {state && <strong>{state}</strong>}
    </>
  );
  if (traceSource.value) return <span {...look}>{face}</span>;
  return (
    <Link href={areaPathBuilders.jobs()} {...look}>
      {face}
    </Link>
  );
}

function ArmedFaults() {
  const armed = useAlerts().filter(({ area }) => area === 'faults');
  return armed.map(({ href, tone, text, n }) => (
    <Link key={tone} href={href} className="button" data-variant="quiet" data-tone={tone} title={text}>
      <icons.ShieldAlert aria-hidden />
      <span className="unseen">Faults: </span>
      {n}
      <span className="wide-only">active</span>
    </Link>
  ));
}

const STREAM_STATES = { up: ['Live', 'good'], connecting: ['Connecting', 'wait'], down: ['Offline', 'bad'] } as const;

const THEMES: Record<string, readonly [icons.LucideIcon, string]> = {
  system: [icons.Monitor, 'light'],
  light: [icons.Sun, 'dark'],
  dark: [icons.Moon, 'system'],
};

function ThemeChoice() {
  const chosen = useStore(themePreference);
  const [icon, next] = THEMES[chosen] ?? [icons.Monitor, 'system'];
  const text = `Theme: ${chosen}. Change to ${next}`;
  return <Button variant="quiet" {...{ icon, text }} isSmall word="Theme" onClick={() => themePreference.set(next)} />;
}

function CopyValue({ label, text, short }: { label: string; text: string; short: string }) {
  const { copied, copy } = useCopyToClipboard();
  return (
    <button type="button" className="button" title={`Copy the ${label}: ${text}`} onClick={() => copy(text)}>
      <span className="unseen">Copy the {label}: </span>
      <code>{short}</code>
      {copied ? <icons.Check aria-hidden data-done="" /> : <icons.Copy aria-hidden />}
    </button>
  );
}

function KeyInBar() {
  const { account, isFirst } = useAccountSelection();
  const [made, setMade] = useState<Record<string, string>>({});
  if (!account) return null;
  const key = made[account.id] ?? (isFirst ? WELL_KNOWN_KEY : undefined);
  if (key) return <CopyValue label="key" text={key} short={isFirst ? key : `${key.slice(0, 14)}…`} />;
  return (
    <ActionButton
      {...{ text: 'Create a key', icon: icons.KeyRound }}
      act={() => callControl('addKey', { id: account.id })}
      toast={['Key created', 'It is shown here until you close this page.']}
      onSuccess={({ api_key }) => setMade({ ...made, [account.id]: api_key })}
    />
  );
}

const MENU = new LazyComponentStore(() => import('./account-menu.tsx'));

function AccountPicker() {
  const { account, only } = useAccountSelection();
  const AccountMenu = useLazyComponent(MENU);
  if (!account) return null;
  if (AccountMenu) return <AccountMenu />;
  return (
    <span className="select">
      <span className="cut">{only ? accountDisplayName(only) : 'All accounts'}</span>
      <icons.ChevronsUpDown aria-hidden />
    </span>
  );
}
