import { Pause, Play, RotateCcw } from 'lucide-react';
import { browserNow } from '../data/browser-time.ts';
import { callControl } from '../data/call-api.ts';
import { emulatorNow, useClock } from '../data/emulator-clock.ts';
import { Act } from '../pieces/act.tsx';
import { Figure } from '../pieces/page-parts.tsx';
import { PopupForm } from '../pieces/popup-form.tsx';
import { Badge, lengthOfTime } from '../pieces/values.tsx';

const STEPS = [
  ['+1 hour', 3600],
  ['+1 day', 86_400],
  ['+8 days', 8 * 86_400],
] as const;
const FULL = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** The emulator's time, and what moves it: what falls due on the way is settled. */
export function ClockFigure() {
  const { now, isFrozen, movedBy } = useClock();
  const away = `${movedBy > 0 ? '+' : '−'}${lengthOfTime(Math.abs(movedBy))}`;
  return (
    <Figure name="Clock of the emulator" tool={<ClockTools isFrozen={isFrozen} isMoved={movedBy !== 0} />}>
      <span>{FULL.format(now * 1000)}</span>
      {isFrozen && <Badge tone="wait">frozen</Badge>}
      {movedBy !== 0 && <Badge tone="wait">{away}</Badge>}
    </Figure>
  );
}

function ClockTools({ isFrozen, isMoved }: { isFrozen: boolean; isMoved: boolean }) {
  const set = (change: { now?: string; frozen?: boolean }) => callControl('PUT', '/clock', change);
  return (
    <div className="clock-tools row wrap" role="group" aria-label="Move the clock">
      {STEPS.map(([text, seconds]) => (
        <Act
          key={text}
          text={text}
          act={() => callControl('POST', '/clock/advance', { seconds })}
          said={['The clock has moved', 'All that fell due on the way has settled.']}
        />
      ))}
      <Act
        text={isFrozen ? 'Let it run' : 'Freeze'}
        icon={isFrozen ? Play : Pause}
        act={() => set({ frozen: !isFrozen })}
      />
      <PopupForm
        text="Set"
        title="Set the clock"
        note="A frozen clock stays frozen. What falls due on the way is settled."
        action="Set the clock"
        fields={() => [{ ...TIME, value: localTime() }]}
        send={({ time = '' }) => set({ now: new Date(time).toISOString() })}
      />
      {isMoved && (
        <Act
          text="Back to now"
          icon={RotateCcw}
          look="quiet"
          act={() => set({ now: new Date(browserNow()).toISOString(), frozen: false })}
        />
      )}
    </div>
  );
}

const TIME = { name: 'time', label: 'Date and time', type: 'time', note: 'In the time zone of this browser.' } as const;

/** The emulator's time as such a field takes it: local, without a zone. */
function localTime(): string {
  const date = new Date(emulatorNow());
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19);
}
