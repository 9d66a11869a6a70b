import { ChevronsUpDown } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useAccounts } from '../data/chosen-account.ts';
import { loadPatiently } from '../data/load-patiently.ts';
import { accountName } from '../pieces/ids.tsx';

const loadMenu = () => loadPatiently(() => import('./account-menu.tsx'));
const AccountMenu = lazy(loadMenu);

/** Whose pages these are. Its menu is loaded when it is first reached for. */
export function AccountPicker() {
  const { account, only } = useAccounts();
  const [opened, setOpened] = useState(false);
  if (!account) return null;
  const closed = (
    <button
      type="button"
      className="select"
      role="combobox"
      aria-label="Account"
      aria-haspopup="listbox"
      aria-expanded={false}
      onPointerEnter={() => void loadMenu()}
      onFocus={() => void loadMenu()}
      onClick={() => setOpened(true)}
    >
      <span className="cut">{only ? accountName(only) : 'Every account'}</span>
      <ChevronsUpDown aria-hidden />
    </button>
  );
  if (!opened) return closed;
  return (
    <Suspense fallback={closed}>
      <AccountMenu />
    </Suspense>
  );
}
