import { Pause, Play, RotateCcw } from 'lucide-react';
import type { ProgressionRecord } from '../../../control/progression.ts';
import { emulatorNow, useClock } from '../data/account-and-clock.ts';
import { browserNow } from '../data/browser.ts';
import { callControl } from '../data/call-api.ts';
import { useRecord } from '../data/queries.ts';
import type { Account } from '../data/records.ts';
import { ActionButton } from '../pieces/action-button.tsx';
import { PopupForm } from '../pieces/form.tsx';
import type { Draft, FieldSpec } from '../pieces/form-field.tsx';
import { Figure } from '../pieces/page-parts.tsx';
import { Badge, lengthOfTime } from '../pieces/values.tsx';

const STEPS = [
  ['+1 hour', 3600],
  ['+1 day', 86_400],
  ['+8 days', 8 * 86_400],
] as const;
const TIME = { name: 'time', label: 'Date and time', type: 'time', note: 'In the time zone of this browser.' } as const;
const FULL = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** The emulator's clock with its controls. Moving it settles what falls due. */
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
        <ActionButton
          key={text}
          text={text}
          act={() => callControl('POST', '/clock/advance', { seconds })}
          toast={['Clock moved', 'Everything that fell due has settled.']}
        />
      ))}
      <ActionButton
        text={isFrozen ? 'Resume' : 'Freeze'}
        icon={isFrozen ? Play : Pause}
        act={() => set({ frozen: !isFrozen })}
      />
      <PopupForm
        text="Set"
        title="Set the clock"
        note="A frozen clock stays frozen. Everything that falls due is settled."
        action="Set the clock"
        fields={() => [{ ...TIME, value: localTime() }]}
        send={({ time = '' }) => set({ now: new Date(time).toISOString() })}
      />
      {isMoved && (
        <ActionButton
          text="Back to now"
          icon={RotateCcw}
          variant="quiet"
          act={() => set({ now: new Date(browserNow()).toISOString(), frozen: false })}
        />
      )}
    </div>
  );
}

/** The emulator's time in the format of the input: local, without a zone. */
function localTime(): string {
  const date = new Date(emulatorNow());
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19);
}

/** How jobs of the chosen account are settled. */
export function ProgressionFigure({ account }: { account: Account }) {
  const params = { account_id: account.id };
  const { data } = useRecord<ProgressionRecord>('/progression', { params });
  const isOwn = data?.account_id !== undefined;
  return (
    <Figure
      name="Jobs finish"
      note={isOwn ? `${account.name ?? 'this account'} only` : 'all accounts'}
      tool={data && <ProgressionForm account={account} inForce={data} />}
    >
      <span>{data ? textOf(data) : '–'}</span>
    </Figure>
  );
}

function textOf({ mode, value = 0 }: ProgressionRecord): string {
  if (mode === 'render') return 'when rendering ends';
  if (mode === 'manual') return 'by hand';
  if (mode === 'polls') return value === 1 ? 'at the first poll' : `at poll ${value}`;
  return `after ${lengthOfTime(value)}`;
}

const MODES = [
  ['render', 'Render'],
  ['seconds', 'Seconds'],
  ['polls', 'Polls'],
  ['manual', 'By hand'],
] as const;

const MEANINGS: Record<string, string> = {
  render: 'A job finishes as soon as its file is rendered.',
  seconds: "A job finishes this many seconds after its order, by the emulator's clock.",
  polls: 'A job finishes when the client polls it for this time.',
  manual: 'A job finishes when you finish it here.',
};

const SCOPES = [
  ['all', 'All accounts'],
  ['own', 'This account'],
] as const;

/** Changes when jobs finish, open ones included. */
function ProgressionForm({ account, inForce }: { account: Account; inForce: ProgressionRecord }) {
  const isOwn = inForce.account_id !== undefined;
  const set = (order: object) => callControl('PUT', '/progression', order);
  return (
    <div className="row wrap">
      {isOwn && (
        <ActionButton text="Use the default" variant="quiet" act={() => set({ mode: null, account_id: account.id })} />
      )}
      <PopupForm
        text="Change"
        title="When jobs finish"
        note={({ mode = inForce.mode }) => MEANINGS[mode]}
        action="Save"
        fields={(draft) => fieldsOf(draft, inForce)}
        send={({ mode, value, scope }) =>
          set({
            mode,
            ...(value === undefined ? {} : { value: Number(value) }),
            ...(scope === 'own' ? { account_id: account.id } : {}),
          })
        }
      />
    </div>
  );
}

function fieldsOf({ mode: chosen }: Draft, { mode: before, value, account_id }: ProgressionRecord): FieldSpec[] {
  const mode = chosen ?? before;
  const amount = { name: 'value', type: 'number', value: String(value ?? 60) } as const;
  return [
    { name: 'mode', label: 'Mode', type: 'choices', options: MODES, value: before },
    ...(mode === 'seconds' ? [{ ...amount, label: 'Seconds', step: 'any' } as const] : []),
    ...(mode === 'polls' ? [{ ...amount, label: 'Polls', min: 1 } as const] : []),
    {
      ...{ name: 'scope', label: 'Applies to', type: 'choices', options: SCOPES },
      value: account_id === undefined ? 'all' : 'own',
    },
  ];
}
