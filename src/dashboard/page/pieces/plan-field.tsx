import { callControl } from '../data/call-api.ts';
import type { Account } from '../data/records.ts';
import { SelectAct } from './select-field.tsx';

export const PLANS = [
  { value: 'payg', text: 'Pay as you go', note: 'clips to 10 s' },
  { value: 'hobby', text: 'Hobby', note: 'clips to 15 s' },
  { value: 'creator', text: 'Creator', note: 'clips to 20 s' },
  { value: 'studio', text: 'Studio', note: 'clips to 30 s' },
];

/** The plan of an account's workspace, to be changed for all of it. */
export function PlanField({ account: { workspace_id, plan: value } }: { account: Account }) {
  const act = (plan: string) => callControl('PATCH', `/workspaces/${workspace_id}`, { plan });
  const said = ['The plan of the workspace is another one'] as const;
  return <SelectAct label="Plan of the workspace" {...{ value, options: PLANS, act, said }} />;
}
