import { callControl } from '../data/call-api.ts';
import { useAct } from '../data/queries.ts';
import type { Account } from '../data/records.ts';
import { SelectField } from '../pieces/select-field.tsx';
import { say, sayError } from '../pieces/toast.tsx';
import { ROLES } from './people-records.ts';

/** What an account may do; its keys go on with the new role. */
export function RoleField({ account: { id, role } }: { account: Account }) {
  const change = useAct(
    (wanted: string) => callControl('PATCH', `/accounts/${id}`, { role: wanted }),
    () => say('The role is another one', 'Its keys have it at once.', 'good'),
  );
  return (
    <SelectField
      label="Role"
      value={role}
      options={ROLES}
      onChange={(wanted) => change.mutate(wanted, { onError: sayError })}
    />
  );
}
