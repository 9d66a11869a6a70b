import { Search } from 'lucide-react';
import { useAccounts } from '../data/chosen-account.ts';
import { durationText } from '../data/exact-time.ts';
import { recordSource } from '../data/record-source.ts';
import { formatNumber } from '../pieces/credits.tsx';
import { AccountPicker } from './account-picker.tsx';
import { ArmedFaults } from './armed-faults.tsx';
import { ClockFace } from './clock-face.tsx';
import { CopyValue } from './copy-value.tsx';
import { KeyInBar } from './key-in-bar.tsx';
import { LiveDot } from './live-dot.tsx';
import { openPalette } from './palette-state.ts';
import { ThemeChoice } from './theme-choice.tsx';

/** What is always in sight: address, key, account and balance, clock, and whether the page hears what happens. */
export function TopBar() {
  const { accounts, areAll, only } = useAccounts();
  const isRecord = recordSource.value !== undefined;
  const sum = accounts.reduce((total, { credits }) => total + credits, 0);
  return (
    <header className="top-bar row ruled sunken">
      <div className="brand row fixed">
        <span className="brand-mark centred" aria-hidden>
          ›_
        </span>
        svc-emulator <span className="kbd wide-only">{isRecord ? 'trace' : 'local'}</span>
      </div>
      <div className="row grow">
        {isRecord ? (
          <RecordTitle />
        ) : (
          <span className="row wide-only">
            <CopyValue label="base URL" text={`${window.location.origin}/v1`} short={`${window.location.host}/v1`} />
            <KeyInBar />
          </span>
        )}
        {(!isRecord || accounts.length > 1) && <AccountPicker />}
        <span className="balance soft cut" title="Balance">
          <strong>{formatNumber(only?.credits ?? sum)}</strong> credits
          {!only &&
            accounts.length > 1 &&
            ` in ${areAll ? '' : 'the newest '}${formatNumber(accounts.length)} accounts`}
        </span>
      </div>
      <div className="row">
        <ArmedFaults />
        <ClockFace />
        {!isRecord && <LiveDot />}
        {!isRecord && (
          <button type="button" className="top-search button" onClick={openPalette}>
            <Search aria-hidden />
            <span className="unseen">Search everything</span>
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

/** Which run this is the record of. */
function RecordTitle() {
  const head = recordSource.value?.trace.head;
  if (!head) return null;
  const { title, exit, span, version } = head;
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
