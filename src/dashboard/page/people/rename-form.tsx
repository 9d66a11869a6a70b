import { useState } from 'react';
import { callControl } from '../data/call-api.ts';
import type { Account } from '../data/records.ts';
import { Button } from '../pieces/button.tsx';
import { FormField } from '../pieces/form-field.tsx';
import { PopupForm } from '../pieces/popup-form.tsx';

export function RenameForm({ account: { id, name } }: { account: Account }) {
  const [text, setText] = useState(name ?? '');
  return (
    <PopupForm
      trigger={<Button>Rename</Button>}
      title="Rename this account"
      action="Rename"
      onSend={() => callControl('PATCH', `/accounts/${id}`, { name: text })}
    >
      <FormField label="Name">
        <input
          className="input"
          required
          maxLength={200}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </FormField>
    </PopupForm>
  );
}
