import { useState } from 'react';
import { callControl } from '../data/call-api.ts';
import type { Account } from '../data/records.ts';
import { Button } from '../pieces/button.tsx';
import { Choices } from '../pieces/choices.tsx';
import { NumberField } from '../pieces/number-field.tsx';
import { PopupForm } from '../pieces/popup-form.tsx';
import { say } from '../pieces/toast.tsx';

const BOUNDS = [
  ['some', 'Up to'],
  ['none', 'No bound'],
] as const;

/** What an account may spend from now on. */
export function BudgetForm({ account }: { account: Account }) {
  const [bound, setBound] = useState('some');
  const [credits, setCredits] = useState('500');
  const isBound = bound === 'some';
  const send = async () => {
    const budget = isBound ? Number(credits) : null;
    await callControl('PUT', `/accounts/${account.id}/budget`, { credits: budget });
    say(isBound ? 'The budget counts from now on' : 'There is no budget any more');
  };
  return (
    <PopupForm
      trigger={<Button>{account.budget ? 'Change' : 'Set'}</Button>}
      title="Budget"
      note="What the account may spend from now on, net of refunds. What goes beyond is answered 402 and charges nothing."
      action="Set the budget"
      onSend={send}
    >
      <Choices label="Bound" value={bound} options={BOUNDS} onChange={setBound} />
      {isBound && <NumberField label="Credits" value={credits} onChange={setCredits} />}
    </PopupForm>
  );
}
