import { callControl, recordSource } from '../data/call-api.ts';
import { useAct } from '../data/queries.ts';
import type { Account } from '../data/records.ts';
import { SelectField } from './select-field.tsx';
import { say, sayError } from './toast.tsx';

export const PLANS = [
  { value: 'payg', text: 'Pay as you go', note: 'clips to 10 s' },
  { value: 'hobby', text: 'Hobby', note: 'clips to 15 s' },
  { value: 'creator', text: 'Creator', note: 'clips to 20 s' },
  { value: 'studio', text: 'Studio', note: 'clips to 30 s' },
];

/** The plan of an account's workspace, to be changed for all of it. */
export function PlanField({ account }: { account: Pick<Account, 'workspace_id' | 'plan'> }) {
  const change = useAct(
    (plan: string) => callControl('PATCH', `/workspaces/${account.workspace_id}`, { plan }),
    () => say('The plan of the workspace is another one', undefined, 'good'),
  );
  if (recordSource.value) return PLANS.find(({ value }) => value === account.plan)?.text ?? account.plan;
  return (
    <SelectField
      label="Plan of the workspace"
      value={account.plan}
      options={PLANS}
      onChange={(plan) => change.mutate(plan, { onError: sayError })}
    />
  );
}
