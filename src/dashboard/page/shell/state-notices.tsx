import { Play, X } from 'lucide-react';
import { useClock } from '../data/account-and-clock.ts';
import { browserNow, PageStore, useStore } from '../data/browser.ts';
import { callControl } from '../data/call-api.ts';
import { liveStream } from '../data/live-stream.ts';
import { ActionButton } from '../pieces/action-button.tsx';
import { Button, Notice } from '../pieces/page-parts.tsx';
import { exactTime, lengthOfTime } from '../pieces/values.tsx';

/** Whether the clock came with a snapshot and the user has not yet decided what to do with it. */
export const restoredClock = new PageStore(false);

/** What is said of the emulator's state above every page. */
export function StateNotices() {
  return (
    <>
      <OfflineBanner />
      <RestoredClock />
    </>
  );
}

/** Shown while the emulator does not answer. */
function OfflineBanner() {
  if (useStore(liveStream) !== 'down') return null;
  return <Notice tone="bad">The emulator does not answer. This page reconnects as soon as it runs again.</Notice>;
}

/** After a restore: the clock is that of the snapshot, frozen or behind. One button lets it run on. */
function RestoredClock() {
  const isRestored = useStore(restoredClock);
  const { now, isFrozen, movedBy } = useClock();
  if (!isRestored || (!isFrozen && movedBy >= 0)) return null;
  const done = () => restoredClock.set(false);
  const frozen = `The clock is frozen, as in the snapshot, at ${exactTime(now)}: no job ends, and nothing expires.`;
  const behind = `The clock is that of the snapshot, ${lengthOfTime(-movedBy)} behind the machine’s.`;
  const [text, change] = isFrozen
    ? ['Let it run', { frozen: false }]
    : ['Set it to now', { now: new Date(browserNow()).toISOString() }];
  return (
    <Notice tone="wait">
      <span className="row wrap">
        <span className="grow">{isFrozen ? frozen : behind}</span>
        <ActionButton {...{ text, icon: Play }} act={() => callControl('PUT', '/clock', change)} onSuccess={done} />
        <Button variant="quiet" icon={X} aria-label="Leave the clock as it is" onClick={done} />
      </span>
    </Notice>
  );
}
