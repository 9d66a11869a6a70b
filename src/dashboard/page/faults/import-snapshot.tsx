import { Upload } from 'lucide-react';
import { ApiError, ask } from '../data/call-api.ts';
import { FileButton } from '../pieces/file-button.tsx';
import { say, sayError } from '../pieces/toast.tsx';
import type { SnapshotRecord } from './fault-records.ts';

/** Takes in what another emulator saved. */
export function ImportSnapshot({ onDone }: { onDone: (name: string) => void }) {
  const take = async (file: File) => {
    const { name } = await importFile(file);
    say(`Taken in as ${name}`, undefined, 'good');
    onDone(name);
  };
  return (
    <FileButton
      text="Import"
      label="Snapshot file"
      icon={Upload}
      accept=".tar,application/x-tar"
      onChoose={([file]) => void (file && take(file).catch(sayError))}
    />
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
