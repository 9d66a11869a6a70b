import { Camera, Upload } from 'lucide-react';
import { useRef, useState } from 'react';
import { ApiError, ask, callControl } from '../data/call-api.ts';
import { useAct } from '../data/queries.ts';
import { Button } from '../pieces/button.tsx';
import { FormField } from '../pieces/form-field.tsx';
import { PopupForm } from '../pieces/popup-form.tsx';
import { say, sayError } from '../pieces/toast.tsx';
import type { SnapshotRecord } from './fault-records.ts';

/** Saves the state, or takes in what another emulator saved. */
export function SnapshotTools({ onSaved }: { onSaved: (name: string) => void }) {
  const [name, setName] = useState('');
  const save = async () => {
    await callControl('POST', '/snapshots', { name });
    say(`Saved as ${name}`, undefined, 'good');
    setName('');
    onSaved(name);
  };
  return (
    <>
      <ImportButton onDone={onSaved} />
      <PopupForm
        trigger={
          <Button look="primary" icon={<Camera aria-hidden />}>
            Save the state
          </Button>
        }
        title="Save the state"
        note="Database, files and clock, as they are now."
        action="Save"
        onSend={save}
      >
        <FormField label="Name" note="Letters, digits, dots, dashes and underscores.">
          <input
            className="input"
            required
            pattern="[A-Za-z0-9._\-]{1,64}"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </FormField>
      </PopupForm>
    </>
  );
}

function ImportButton({ onDone }: { onDone: (name: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const take = useAct(importFile, ({ name }) => {
    say(`Taken in as ${name}`, undefined, 'good');
    onDone(name);
  });
  return (
    <>
      <Button icon={<Upload aria-hidden />} disabled={take.isPending} onClick={() => field.current?.click()}>
        Import
      </Button>
      <input
        ref={field}
        type="file"
        accept=".tar,application/x-tar"
        aria-label="Snapshot file"
        hidden
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) take.mutate(file, { onError: sayError });
          target.value = '';
        }}
      />
    </>
  );
}

/** Under the name of the file, without its ending. */
async function importFile(file: File): Promise<SnapshotRecord> {
  const name = file.name.replace(/\.tar$/, '');
  const response = await ask(`/_emulator/snapshots/${encodeURIComponent(name)}/file`, {
    method: 'PUT',
    headers: { 'content-type': 'application/x-tar' },
    body: file,
  });
  const body = await response.json();
  if (response.ok) return body;
  throw new ApiError(response.status, body.error);
}
