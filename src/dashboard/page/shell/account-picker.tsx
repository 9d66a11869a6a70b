import { chooseAccount, useAccounts } from '../data/chosen-account.ts';
import type { Account } from '../data/records.ts';
import { formatNumber } from '../pieces/credits.tsx';
import { shortId } from '../pieces/id-chip.tsx';
import { SelectField } from '../pieces/select-field.tsx';

/** Whose pages these are. */
export function AccountPicker() {
  const { accounts, account } = useAccounts();
  if (!account) return null;
  const options = accounts.toReversed().map((each) => ({
    value: each.id,
    text: nameOf(each),
    note: `${formatNumber(each.credits)}`,
  }));
  return (
    <SelectField label="Account" value={account.id} options={options} onChange={chooseAccount} />
  );
}

function nameOf({ id, name }: Account): string {
  return name ?? shortId(id);
}
