import { chooseAccount, useAccounts } from '../data/chosen-account.ts';
import { accountName } from '../pieces/account-name.ts';
import { formatNumber } from '../pieces/credits.tsx';
import { SelectField } from '../pieces/select-field.tsx';

/** All accounts, to choose from. */
export default function AccountMenu() {
  const { accounts, account } = useAccounts();
  if (!account) return null;
  const options = accounts.toReversed().map((each) => ({
    value: each.id,
    text: accountName(each),
    note: formatNumber(each.credits),
  }));
  return <SelectField label="Account" value={account.id} options={options} onChange={chooseAccount} defaultOpen />;
}
