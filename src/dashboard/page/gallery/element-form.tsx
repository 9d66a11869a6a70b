import { type FormEvent, useState } from 'react';
import { callControl } from '../data/call-api.ts';
import { useAccounts } from '../data/chosen-account.ts';
import { useAct } from '../data/queries.ts';
import { Button } from '../pieces/button.tsx';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { FormFields } from '../pieces/form-fields.tsx';
import type { Draft, FieldSpec } from '../pieces/form-input.tsx';
import type { SavedElement } from './gallery-records.ts';

interface ElementFormProps {
  /** The one that is changed; undefined for a new one. */
  element: SavedElement | undefined;
  onDone: () => void;
}

const FILES: readonly FieldSpec[] = [
  { name: 'image', label: 'Picture', type: 'file', accept: 'image/*', note: 'Clips draw it from this.' },
  { name: 'voice', label: 'Voice', type: 'file', accept: 'audio/*', note: 'A WAV or MP3 in which it speaks.' },
];

function fieldsOf({ handle = '', name = '', kind = 'character' }: Partial<SavedElement>): readonly FieldSpec[] {
  const text = 'text' as const;
  const how = 'Prompts name it by this: @mara. Letters, digits, dashes and underscores.';
  return [
    { name: 'handle', label: 'Handle', type: text, value: handle, note: how },
    { name: 'name', label: 'Name', type: text, value: name, note: 'What it is called.' },
    { name: 'kind', label: 'Kind', type: text, value: kind, note: 'A word such as character or object.' },
    ...FILES,
  ];
}

/** Saves an element, or changes one; a file that is not chosen stays as it was. */
export function ElementForm({ element, onDone }: ElementFormProps) {
  const { account } = useAccounts();
  const [draft, onChange] = useState<Draft>({});
  const fields = fieldsOf(element ?? {});
  const texts = Object.fromEntries(fields.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));
  const order = { ...texts, ...draft };
  const save = useAct(
    () =>
      element
        ? callControl('PATCH', `/elements/${element.id}`, order)
        : callControl('POST', '/elements', { account_id: account?.id, ...order }),
    onDone,
  );
  const send = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(undefined);
  };
  return (
    <form className="form stack" onSubmit={send}>
      <FormFields {...{ fields, draft, onChange, error: save.error }} />
      <ErrorNotice error={save.error} />
      <Button look="primary" type="submit" disabled={save.isPending}>
        {element ? 'Save' : `Save for ${account?.name ?? 'this account'}`}
      </Button>
    </form>
  );
}
