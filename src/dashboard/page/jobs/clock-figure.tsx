import { Pause, Play, RotateCcw } from 'lucide-react';
import { browserNow } from '../data/browser-time.ts';
import { callControl } from '../data/call-api.ts';
import { useClock } from '../data/emulator-clock.ts';
import { useAct } from '../data/queries.ts';
import { Button } from '../pieces/button.tsx';
import { Figure } from '../pieces/figures.tsx';
import { OfService } from '../pieces/of-service.tsx';
import { lengthOfTime } from '../pieces/relative-time.tsx';
import { Badge } from '../pieces/status-badge.tsx';
import { say, sayError } from '../pieces/toast.tsx';
import { ClockForm } from './clock-form.tsx';

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
  const tools = (
    <OfService>
      <ClockTools isFrozen={isFrozen} isMoved={movedBy !== 0} />
    </OfService>
  );
  return (
    <Figure name="Clock of the emulator" tool={tools}>
      <span className="clock-now">{FULL.format(now * 1000)}</span>
      {isFrozen && <Badge tone="wait">frozen</Badge>}
      {movedBy !== 0 && <Badge tone="wait">{away}</Badge>}
    </Figure>
  );
}

function ClockTools({ isFrozen, isMoved }: { isFrozen: boolean; isMoved: boolean }) {
  const advance = useAct(
    ([, seconds]: (typeof STEPS)[number]) => callControl('POST', '/clock/advance', { seconds }),
    () => say('The clock has moved', 'All that fell due on the way has settled.', 'good'),
  );
  const set = useAct((change: { now?: string; frozen: boolean }) => callControl('PUT', '/clock', change));
  const onError = sayError;
  const isBusy = advance.isPending || set.isPending;
  return (
    <div className="clock-tools" role="group" aria-label="Move the clock">
      {STEPS.map((step) => (
        <Button key={step[0]} disabled={isBusy} onClick={() => advance.mutate(step, { onError })}>
          {step[0]}
        </Button>
      ))}
      <Button
        icon={isFrozen ? <Play aria-hidden /> : <Pause aria-hidden />}
        disabled={isBusy}
        onClick={() => set.mutate({ frozen: !isFrozen }, { onError })}
      >
        {isFrozen ? 'Let it run' : 'Freeze'}
      </Button>
      <ClockForm />
      {isMoved && (
        <Button
          look="quiet"
          icon={<RotateCcw aria-hidden />}
          disabled={isBusy}
          onClick={() => set.mutate({ now: machineTime(), frozen: false }, { onError })}
        >
          Back to now
        </Button>
      )}
    </div>
  );
}

function machineTime(): string {
  return new Date(browserNow()).toISOString();
}
