import type { ProgressionRecord } from '../../../control/progression-control.ts';
import { callControl } from '../data/call-api.ts';
import type { Account } from '../data/records.ts';
import { Act } from '../pieces/act.tsx';
import type { Draft, FieldSpec } from '../pieces/form-input.tsx';
import { PopupForm } from '../pieces/popup-form.tsx';

const MODES = [
  ['render', 'Render'],
  ['seconds', 'Seconds'],
  ['polls', 'Polls'],
  ['manual', 'By hand'],
] as const;

const MEANINGS: Record<string, string> = {
  render: 'A job is final as soon as it is rendered.',
  seconds: "A job is final so many seconds after its order, by the emulator's clock.",
  polls: 'A job is final at this poll of its client.',
  manual: 'A job is final when somebody ends it here.',
};

const SCOPES = [
  ['all', 'All accounts'],
  ['own', 'This account'],
] as const;

interface ProgressionFormProps {
  account: Account;
  inForce: ProgressionRecord;
}

/** Changes how jobs come to their end, those under way included. */
export function ProgressionForm({ account, inForce }: ProgressionFormProps) {
  const isOwn = inForce.account_id !== undefined;
  const set = (order: object) => callControl('PUT', '/progression', order);
  return (
    <div className="row wrap">
      {isOwn && <Act text="As all others" look="quiet" act={() => set({ mode: null, account_id: account.id })} />}
      <PopupForm
        text="Change"
        title="How jobs come to their end"
        note={({ mode = inForce.mode }) => MEANINGS[mode]}
        action="Set it"
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
      ...{ name: 'scope', label: 'Whose jobs move so', type: 'choices', options: SCOPES },
      value: account_id === undefined ? 'all' : 'own',
    },
  ];
}
