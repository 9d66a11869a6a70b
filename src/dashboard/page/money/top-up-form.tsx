import { Plus } from 'lucide-react';
import { useState } from 'react';
import { callControl } from '../data/call-api.ts';
import type { Account } from '../data/records.ts';
import { Button } from '../pieces/button.tsx';
import { Choices } from '../pieces/choices.tsx';
import { formatNumber } from '../pieces/credits.tsx';
import { NumberField } from '../pieces/number-field.tsx';
import { PopupForm } from '../pieces/popup-form.tsx';
import { say } from '../pieces/toast.tsx';

const AMOUNTS = [100, 1000, 10_000].map((amount) => [`${amount}`, formatNumber(amount)] as const);
const MOST = 1_000_000_000;

/** Gives an account credits. */
export function TopUpForm({ account }: { account: Account }) {
  const [amount, setAmount] = useState('1000');
  const send = async () => {
    await callControl('POST', `/accounts/${account.id}/credits`, { amount: Number(amount) });
    say(`Topped up by ${formatNumber(Number(amount))} credits`, undefined, 'good');
  };
  return (
    <PopupForm
      trigger={<Button icon={<Plus aria-hidden />}>Top up</Button>}
      title="Top up"
      note="Adds a top-up to the ledger of this account."
      action="Top up"
      onSend={send}
    >
      <Choices label="Usual amounts" value={amount} options={AMOUNTS} onChange={setAmount} />
      <NumberField label="Credits" value={amount} onChange={setAmount} min={1} max={MOST} />
    </PopupForm>
  );
}
