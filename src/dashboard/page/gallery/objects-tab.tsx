import { HardDrive, Upload } from 'lucide-react';
import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import { useAccounts, useOnlyAccount } from '../data/chosen-account.ts';
import { usePages } from '../data/queries.ts';
import { recordSource } from '../data/record-source.ts';
import { Button } from '../pieces/button.tsx';
import { byteSize } from '../pieces/byte-size.ts';
import type { Column } from '../pieces/column.ts';
import { DataList } from '../pieces/data-list.tsx';
import { EmptyState } from '../pieces/empty-state.tsx';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { shortId } from '../pieces/id-chip.tsx';
import { OfService } from '../pieces/of-service.tsx';
import { RelativeTime } from '../pieces/relative-time.tsx';
import { useSearched } from '../pieces/use-searched.tsx';
import type { StoredObject } from './gallery-records.ts';
import { useUploads } from './use-uploads.ts';

const COLUMNS: readonly Column<StoredObject>[] = [
  { title: 'Name', width: 'minmax(160px, 3fr)', cell: ({ name }) => name, line: 1, grow: true },
  {
    title: 'Type',
    width: 'minmax(96px, 1fr)',
    cell: ({ content_type }) => <span className="soft">{content_type}</span>,
    line: 2,
    grow: true,
  },
  {
    title: 'Size',
    width: '88px',
    align: 'end',
    cell: ({ bytes }) => byteSize(bytes),
    line: 1,
  },
  {
    title: 'Account',
    width: '136px',
    wide: true,
    cell: ({ account_id }) => (
      <code className="soft" title={account_id}>
        {shortId(account_id)}
      </code>
    ),
  },
  {
    title: 'Stored',
    width: '96px',
    align: 'end',
    cell: ({ created }) => (
      <span className="soft">
        <RelativeTime at={created} />
      </span>
    ),
    line: 2,
  },
];

const keyOf = ({ id }: StoredObject) => id;

/** Files under permanent URLs. */
export function ObjectsTab({ id, open }: { id: string | undefined; open: (id: string) => void }) {
  const only = useOnlyAccount();
  const { account } = useAccounts();
  const {
    rows: all,
    error,
    isPending,
    more,
  } = usePages<StoredObject>('/objects', {
    params: { account_id: only },
  });
  const { rows, field, none } = useSearched('Search what is stored', all);
  const uploads = useUploads(account?.id);
  return (
    <DropZone onFiles={uploads.send}>
      <OfService>
        <div className="tools">
          <UploadButton underWay={uploads.underWay} onFiles={uploads.send} />
          <span className="soft">2 credits for each started 10 MiB, to {account?.name ?? 'the account above'}</span>
          <span className="tools-gap" />
        </div>
      </OfService>
      {field}
      <ErrorNotice error={error} />
      <DataList
        label="Storage objects"
        rows={rows}
        columns={COLUMNS}
        keyOf={keyOf}
        opened={id}
        onOpen={open}
        empty={isPending || error ? null : none || <NoObjects />}
        foot={more && <Button onClick={more}>Show older objects</Button>}
      />
    </DropZone>
  );
}

function NoObjects() {
  return (
    <EmptyState icon={HardDrive} title="Nothing is stored">
      <p>Drop a file here, or make a picture or clip with "store": true.</p>
    </EmptyState>
  );
}

interface UploadButtonProps {
  /** How many files are on their way. */
  underWay: number;
  onFiles: (files: File[]) => void;
}

function UploadButton({ underWay, onFiles }: UploadButtonProps) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={field}
        type="file"
        multiple
        hidden
        aria-label="Files to store"
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          target.value = '';
        }}
      />
      <Button
        look="primary"
        icon={<Upload aria-hidden />}
        disabled={underWay > 0}
        onClick={() => field.current?.click()}
      >
        {underWay > 0 ? `Storing ${underWay} ${underWay === 1 ? 'file' : 'files'}` : 'Upload'}
      </Button>
    </>
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
  if (recordSource.value) return <div className="drop">{children}</div>;
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
      className="drop"
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
