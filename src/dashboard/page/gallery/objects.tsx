import { Download, HardDrive, Upload } from 'lucide-react';
import { type DragEvent, type ReactNode, useState } from 'react';
import { useAccounts, withKey } from '../data/account-and-clock.ts';
import { callService, localUrl, recordSource } from '../data/call-api.ts';
import { useOne } from '../data/queries.ts';
import { CopyText } from '../pieces/action-button.tsx';
import { agoColumn, type Column, column, softColumn } from '../pieces/data-list.tsx';
import { type DrawerOf, RecordDrawer } from '../pieces/drawer.tsx';
import { MediaView } from '../pieces/media-view.tsx';
import { FileButton, LinkButton, LiveOnly } from '../pieces/page-parts.tsx';
import { type ListSpec, type OpenRow, RecordList, useRecords } from '../pieces/record-list.tsx';
import { byteSize, counted, IdChip, RelativeTime, shortId } from '../pieces/values.tsx';
import { DeleteRecord, type StoredObject, useUploads } from './gallery-records.tsx';

const COLUMNS: readonly Column<StoredObject>[] = [
  column('Name', 'minmax(160px, 3fr)', ({ name }) => name, { line: 1, grow: true }),
  softColumn('Type', 'minmax(96px, 1fr)', ({ content_type }) => content_type, { line: 2, grow: true }),
  column('Size', '88px', ({ bytes }) => byteSize(bytes), { align: 'end', line: 1 }),
  softColumn('Account', '136px', ({ account_id: id }) => <code title={id}>{shortId(id)}</code>, { wide: true }),
  agoColumn('Stored', ({ created }) => created, { align: 'end', line: 2 }),
];

const LIST: ListSpec<StoredObject> = {
  ...{ label: 'Storage objects', search: 'Search stored files', columns: COLUMNS },
  none: {
    ...{ icon: HardDrive, title: 'No stored files yet' },
    description: 'Drop a file here, or render a picture or clip with "store": true.',
  },
};

/** Files under permanent URLs. */
export function ObjectsTab(opening: OpenRow) {
  const { account } = useAccounts();
  const found = useRecords<StoredObject>('/objects');
  const { underWay, send } = useUploads(account?.id);
  const tools = (
    <LiveOnly>
      <FileButton
        {...{ label: 'Files to store', icon: Upload, variant: 'primary', multiple: true, disabled: underWay > 0 }}
        text={underWay > 0 ? `Storing ${counted(underWay, 'file')}` : 'Upload'}
        onChoose={send}
      />
      <span className="soft">2 credits for each started 10 MiB, to {account?.name ?? 'the account above'}</span>
    </LiveOnly>
  );
  return (
    <DropZone onFiles={send}>
      <RecordList {...LIST} {...{ found, ...opening, tools }} />
    </DropZone>
  );
}

/** Takes files that are dropped anywhere on it. */
function DropZone({ onFiles, children }: { onFiles: (files: File[]) => void; children: ReactNode }) {
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

/** A file under a permanent URL. */
export function ObjectDrawer({ id, onClose }: DrawerOf) {
  const { record, error } = useOne<StoredObject>('/objects', id);
  return (
    <RecordDrawer
      {...{ label: 'Storage object', id, record, error, onClose }}
      title={({ name }) => name}
      tools={(object) => <ObjectTools object={object} onDone={onClose} />}
      before={({ url, content_type, name }) => (
        <div className="drawer-tools">
          <MediaView url={url} contentType={content_type} label={name} />
        </div>
      )}
      facts={factsOf}
    />
  );
}

function factsOf({ id, account_id, content_type, bytes, created, url }: StoredObject) {
  return {
    Object: <IdChip id={id} />,
    Account: <IdChip id={account_id} />,
    Type: content_type,
    Size: byteSize(bytes),
    Stored: <RelativeTime at={created} />,
    URL: (
      <a className="named mono" href={localUrl(url)} target="_blank" rel="noopener">
        {url}
      </a>
    ),
  };
}

function ObjectTools({ object: { id, account_id, url }, onDone }: { object: StoredObject; onDone: () => void }) {
  return (
    <>
      <CopyText text={() => url}>Copy URL</CopyText>
      <LinkButton text="Download" icon={Download} href={localUrl(url)} download />
      <DeleteRecord
        act={() => withKey(account_id, (key) => callService('DELETE', `/storage/objects/${id}`, { key }))}
        onClose={onDone}
        confirm={{ title: 'Delete this object?', note: 'Its URL stops working.' }}
      />
    </>
  );
}
