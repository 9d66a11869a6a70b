import { type FormEvent, useState } from 'react';
import { callControl } from '../data/call-api.ts';
import { useAccounts } from '../data/chosen-account.ts';
import { useAct } from '../data/queries.ts';
import { Button } from '../pieces/button.tsx';
import { dataUrlOf } from '../pieces/data-url-of.ts';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { FormField } from '../pieces/form-field.tsx';
import type { SavedElement } from './gallery-records.ts';

interface ElementFormProps {
  /** The one that is changed; undefined for a new one. */
  element: SavedElement | undefined;
  onDone: () => void;
}

interface ElementOrder {
  handle: string;
  kind: string;
  name: string;
  image: File | undefined;
  voice: File | undefined;
}

/** Saves an element, or changes one; a file that is not chosen stays as it was. */
export function ElementForm({ element, onDone }: ElementFormProps) {
  const { account } = useAccounts();
  const { handle = '', kind = 'character', name = '' } = element ?? {};
  const [order, setOrder] = useState<ElementOrder>({
    ...{ handle, kind, name, image: undefined, voice: undefined },
  });
  const change = (part: Partial<ElementOrder>) => setOrder({ ...order, ...part });
  const save = useAct(async () => {
    const { image, voice, ...rest } = order;
    const files = { ...(await fileField('image', image)), ...(await fileField('voice', voice)) };
    if (element) return callControl('PATCH', `/elements/${element.id}`, { ...rest, ...files });
    return callControl('POST', '/elements', { account_id: account?.id, ...rest, ...files });
  }, onDone);
  const send = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(undefined);
  };
  const { error } = save;
  return (
    <form className="form" onSubmit={send}>
      {(['handle', 'name', 'kind'] as const).map((field) => (
        <FormField key={field} label={LABELS[field]} note={NOTES[field]} name={field} error={error}>
          <input
            className="input"
            required
            value={order[field]}
            onChange={({ target }) => change({ [field]: target.value })}
          />
        </FormField>
      ))}
      <FormField label="Picture" note="Clips draw it from this." name="image" error={error}>
        <input
          className="file-input"
          type="file"
          accept="image/*"
          onChange={({ target }) => change({ image: target.files?.[0] })}
        />
      </FormField>
      <FormField label="Voice" note="A WAV or MP3 in which it speaks." name="voice" error={error}>
        <input
          className="file-input"
          type="file"
          accept="audio/*"
          onChange={({ target }) => change({ voice: target.files?.[0] })}
        />
      </FormField>
      <ErrorNotice error={error} />
      <div>
        <Button look="primary" type="submit" disabled={save.isPending}>
          {element ? 'Save' : `Save for ${account?.name ?? 'this account'}`}
        </Button>
      </div>
    </form>
  );
}

const LABELS = { handle: 'Handle', name: 'Name', kind: 'Kind' };
const NOTES = {
  handle: 'Prompts name it by this: @mara. Letters, digits, dashes and underscores.',
  name: 'What it is called.',
  kind: 'A word such as character or object.',
};

async function fileField(name: string, file: File | undefined): Promise<Record<string, string>> {
  return file ? { [name]: await dataUrlOf(file) } : {};
}
