import { Combobox } from '@base-ui/react/combobox';
import { ChevronsUpDown, Search } from 'lucide-react';
import { useState } from 'react';
import { accountDisplayName, formatNumber } from '../components/values.tsx';
import { MAX_OFFERED_ACCOUNTS, useAccountSearch, useAccountSelection } from '../data/account-and-clock.ts';
import { chooseAccount } from '../data/chosen-account.ts';
import type { Account } from '../data/records.ts';

interface Offer {
  value: string;
  label: string;
  note?: string;
}

const EVERY: Offer = { value: '', label: 'All accounts' };

export default function AccountMenu() {
  const { only } = useAccountSelection();
  const [typed, setTyped] = useState('');
  const found = useAccountSearch(typed);
  const isEveryMeant = EVERY.label.toLowerCase().includes(typed.trim().toLowerCase());
  const offers = [...(isEveryMeant ? [EVERY] : []), ...found.map(offerOf)];
  const chosen = only ? offerOf(only) : EVERY;
  return (
    <Combobox.Root
      items={offers}
      filter={null}
      value={chosen}
      isItemEqualToValue={(one: Offer, other: Offer) => one.value === other.value}
      onValueChange={(offer: Offer | null) => offer && chooseAccount(offer.value)}
      inputValue={typed}
      onInputValueChange={setTyped}
      autoHighlight
    >
      <Combobox.Trigger className="select" aria-label="Account">
        <span className="cut">{chosen.label}</span>
        <ChevronsUpDown aria-hidden />
      </Combobox.Trigger>
      <Combobox.Portal>
        <Combobox.Positioner className="popup-layer" sideOffset={4} align="start">
          <Combobox.Popup className="popup" aria-label="Choose an account">
            <div className="row ruled padded">
              <Search aria-hidden />
              <Combobox.Input className="bare grow" aria-label="Name or id" placeholder="Name or id" />
            </div>
            <Combobox.Empty className="palette-none">No accounts found.</Combobox.Empty>
            <Combobox.List className="select-list scrolls" aria-label="Accounts">
              {(offer: Offer) => (
                <Combobox.Item key={offer.value} value={offer} className="option">
                  {offer.label}
                  {offer.note && <span className="soft">{offer.note}</span>}
                </Combobox.Item>
              )}
            </Combobox.List>
            {found.length === MAX_OFFERED_ACCOUNTS && (
              <p className="palette-none soft">
                Showing the newest {MAX_OFFERED_ACCOUNTS} matches. Type more to narrow them down.
              </p>
            )}
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}

function offerOf(account: Account): Offer {
  return { value: account.id, label: accountDisplayName(account), note: formatNumber(account.credits) };
}
