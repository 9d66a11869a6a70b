import { chooseAccount, useAccounts } from '../data/chosen-account.ts';
import { accountName } from '../pieces/account-name.ts';
import { formatNumber } from '../pieces/credits.tsx';
import { SelectField } from '../pieces/select-field.tsx';

const EVERY = 'every';

/** All accounts, to choose from. */
export default function AccountMenu() {
  const { accounts, only } = useAccounts();
  const each = accounts.toReversed().map((one) => ({
    value: one.id,
    text: accountName(one),
    note: formatNumber(one.credits),
  }));
  const options = [{ value: EVERY, text: 'Every account' }, ...each];
  const choose = (value: string) => chooseAccount(value === EVERY ? '' : value);
  return <SelectField label="Account" value={only?.id ?? EVERY} options={options} onChange={choose} defaultOpen />;
}
