import { HardDrive, Upload } from 'lucide-react';
import { type DragEvent, type ReactNode, useState } from 'react';
import { useAccounts, useOnlyAccount } from '../data/chosen-account.ts';
import { usePages } from '../data/queries.ts';
import { recordSource } from '../data/record-source.ts';
import { byteSize } from '../pieces/byte-size.ts';
import type { Column } from '../pieces/column.ts';
import { FileButton } from '../pieces/file-button.tsx';
import { shortId } from '../pieces/id-chip.tsx';
import { ListTools } from '../pieces/list-tools.tsx';
import { OfService } from '../pieces/of-service.tsx';
import { RecordList } from '../pieces/record-list.tsx';
import { agoColumn, softColumn } from '../pieces/time-column.tsx';
import { useFilter } from '../pieces/use-filter.ts';
import type { StoredObject } from './gallery-records.ts';
import { useUploads } from './use-uploads.ts';

const COLUMNS: readonly Column<StoredObject>[] = [
  { title: 'Name', width: 'minmax(160px, 3fr)', cell: ({ name }) => name, line: 1, grow: true },
  softColumn('Type', 'minmax(96px, 1fr)', ({ content_type }) => content_type, { line: 2, grow: true }),
  { title: 'Size', width: '88px', align: 'end', cell: ({ bytes }) => byteSize(bytes), line: 1 },
  softColumn('Account', '136px', ({ account_id: id }) => <code title={id}>{shortId(id)}</code>, { wide: true }),
  agoColumn('Stored', ({ created }) => created, { align: 'end', line: 2 }),
];

const NONE = {
  icon: HardDrive,
  title: 'Nothing is stored',
  children: <p>Drop a file here, or make a picture or clip with "store": true.</p>,
};

/** Files under permanent URLs. */
export function ObjectsTab({ id, open }: { id: string | undefined; open: (id: string) => void }) {
  const [q] = useFilter('q');
  const { account } = useAccounts();
  const params = { account_id: useOnlyAccount(), q };
  const found = usePages<StoredObject>('/objects', { params });
  const { underWay, send } = useUploads(account?.id);
  return (
    <DropZone onFiles={send}>
      <ListTools label="Search what is stored">
        <OfService>
          <FileButton
            text={underWay > 0 ? `Storing ${underWay} ${underWay === 1 ? 'file' : 'files'}` : 'Upload'}
            label="Files to store"
            icon={Upload}
            look="primary"
            multiple
            disabled={underWay > 0}
            onChoose={send}
          />
          <span className="soft">2 credits for each started 10 MiB, to {account?.name ?? 'the account above'}</span>
        </OfService>
      </ListTools>
      <RecordList
        label="Storage objects"
        {...{ found, columns: COLUMNS, opened: id, onOpen: open, none: NONE }}
        isFiltered={q !== ''}
      />
    </DropZone>
  );
}

interface DropZoneProps {
  onFiles: (files: File[]) => void;
  children: ReactNode;
}

/** Takes files that are dropped anywhere on it. */
function DropZone({ onFiles, children }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  // What is dropped onto the record of a run is a second one.
  if (recordSource.value) return <div className="drop column fill">{children}</div>;
  const over = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setOver(true);
  };
  const leave = ({ currentTarget, relatedTarget }: DragEvent) => {
    if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOver(false);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    onFiles([...event.dataTransfer.files]);
  };
  return (
    <div
      className="drop column fill"
      role="region"
      aria-label="Storage"
      data-over={isOver ? '' : undefined}
      onDragOver={over}
      onDragLeave={leave}
      onDrop={drop}
    >
      {children}
    </div>
  );
}
