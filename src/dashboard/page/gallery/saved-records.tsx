import * as icons from 'lucide-react';
import { useState } from 'react';
import { byteSizeText } from '../../../control/orders/timeline-entry.ts';
import { ActionButton, CopyTextButton } from '../components/action-button.tsx';
import {
  column,
  type ListSpec,
  mutedColumn,
  type OpenRowProps,
  RecordList,
  relativeTimeColumn,
} from '../components/data-list.tsx';
import { Drawer, RecordDrawer, type TabDrawerProps } from '../components/drawer.tsx';
import { type FieldSpec, FieldsForm, type FormValues } from '../components/form.tsx';
import { AudioPlayer, MediaView } from '../components/media-view.tsx';
import { Button, FileButton, LinkButton, LiveOnly, showErrorToast, showToast } from '../components/page-parts.tsx';
import { Picture, PreviewImage } from '../components/picture.tsx';
import { IdChip, pluralizeCount, RelativeTime, shortId } from '../components/values.tsx';
import { useAccountSelection, withAccountKey } from '../data/account-and-clock.ts';
import { callControl, callService, loadableFileUrl } from '../data/call-api.ts';
import { type ListRecord, useFilteredRecords, useRecordFromList } from '../data/queries.ts';
import { stableUrls } from '../data/stable-urls.ts';

type SavedElement = ListRecord<'listElements'>;
type StoredObject = ListRecord<'listAllObjects'>;

const NEW_ELEMENT = 'el_new';

function pictureCell({ picture_url: url }: SavedElement) {
  return (
    <span className="thumb centred soft">{url ? <PreviewImage url={url} /> : <icons.UserRound aria-hidden />}</span>
  );
}

const ELEMENTS: ListSpec<SavedElement> = {
  label: 'Elements',
  search: 'Search elements',
  columns: [
    column('Image', '32px', pictureCell, { unseen: true }),
    column('Handle', 'minmax(120px, 1fr)', ({ handle }) => <strong>@{handle}</strong>, { line: 1, grow: true }),
    column('Name', 'minmax(120px, 2fr)', ({ name }) => name, { line: 2, grow: true }),
    mutedColumn('Kind', '96px', ({ kind }) => kind, { line: 2 }),
    mutedColumn(
      'Voice',
      '48px',
      ({ voice_url: url }) => url && <icons.AudioLines role="img" aria-label="has a voice" />,
    ),
    relativeTimeColumn('Saved', ({ created }) => created, { line: 1 }),
  ],
  rowHeight: 44,
  none: {
    icon: icons.UserRound,
    title: 'No elements yet',
    description: 'Save a character or an object, then name it in video prompts: @mara opens the door.',
  },
};

export function ElementsTab(opening: OpenRowProps) {
  const found = useFilteredRecords('listElements');
  const tools = <Button isLiveOnly text="New element" icon={icons.Plus} onClick={() => opening.onOpen(NEW_ELEMENT)} />;
  return <RecordList {...ELEMENTS} {...{ found, tools }} {...opening} />;
}

export function ElementDrawer({ id, onClose }: TabDrawerProps) {
  const listed = useRecordFromList('listElements', id);
  if (id === NEW_ELEMENT) {
    return (
      <Drawer label="Element" title="New element" onClose={onClose}>
        <ElementForm onDone={onClose} />
      </Drawer>
    );
  }
  return (
    <RecordDrawer
      {...{ ...listed, label: 'Element', onClose }}
      title={({ handle }) => `@${handle}`}
      tools={({ handle }) => (
        <DeleteRecord
          remove={() => callControl('removeElement', { id })}
          onClose={onClose}
          title={`Delete @${handle}?`}
          note="Existing files are kept."
        />
      )}
      before={(element) => <Looks {...element} />}
      details={elementDetails}
    />
  );
}

function Looks({ name, picture_url, voice_url }: SavedElement) {
  return (
    <div className="drawer-tools">
      {picture_url && <Picture className="media" src={stableUrls.of(picture_url)} alt={name} />}
      {voice_url && <AudioPlayer source={stableUrls.of(voice_url)} label={`Voice of ${name}`} />}
    </div>
  );
}

function elementDetails({ id, name, kind, account_id, created }: SavedElement) {
  return {
    Name: name,
    Kind: kind,
    Element: <IdChip id={id} />,
    Account: <IdChip id={account_id} />,
    Saved: <RelativeTime at={created} />,
  };
}

const FILES: readonly FieldSpec[] = [
  { name: 'image', label: 'Image', type: 'file', accept: 'image/*', note: 'The reference for videos.' },
  { name: 'voice', label: 'Voice', type: 'file', accept: 'audio/*', note: 'A WAV or MP3 of its voice.' },
];

const HANDLE = 'The name in prompts, such as @mara. Use letters, digits, dashes and underscores.';

const ELEMENT_FIELDS: readonly FieldSpec[] = [
  { name: 'handle', label: 'Handle', type: 'text', note: HANDLE },
  { name: 'name', label: 'Name', type: 'text', note: 'The display name.' },
  { name: 'kind', label: 'Kind', type: 'text', value: 'character', note: 'A word such as character or object.' },
  ...FILES,
];

function ElementForm({ onDone }: { onDone: () => void }) {
  const { account } = useAccountSelection();
  const save = ({ handle = '', kind = '', name = '', image, voice }: FormValues) => {
    const files = { image: image || undefined, voice: voice || undefined };
    return callControl('createElement', { account_id: account?.id ?? '', handle, kind, name, ...files });
  };
  const action = `Save for ${account?.name ?? 'this account'}`;
  return (
    <FieldsForm
      fields={ELEMENT_FIELDS}
      {...{ action, send: save, onSuccess: onDone }}
      disabledReason={() => account === undefined}
    />
  );
}

const OBJECTS: ListSpec<StoredObject> = {
  label: 'Storage objects',
  search: 'Search stored files',
  columns: [
    column('Name', 'minmax(160px, 3fr)', ({ name }) => name, { line: 1, grow: true }),
    mutedColumn('Type', 'minmax(96px, 1fr)', ({ content_type }) => content_type, { line: 2, grow: true }),
    column('Size', '88px', ({ bytes }) => byteSizeText(bytes), { align: 'end', line: 1 }),
    mutedColumn('Account', '136px', ({ account_id: id }) => <code title={id}>{shortId(id)}</code>, { wide: true }),
    relativeTimeColumn('Stored', ({ created }) => created, { align: 'end', line: 2 }),
  ],
  none: {
    icon: icons.HardDrive,
    title: 'No stored files yet',
    description: 'Upload a file, or generate an image or a video with "store": true.',
  },
};

export function ObjectsTab(opening: OpenRowProps) {
  const { account } = useAccountSelection();
  const found = useFilteredRecords('listAllObjects');
  const { underWay, send } = useUploads(account?.id);
  const tools = (
    <LiveOnly>
      <FileButton
        {...{ label: 'Files to store', icon: icons.Upload, variant: 'primary' }}
        disabled={underWay > 0 || account === undefined}
        text={underWay > 0 ? `Storing ${pluralizeCount(underWay, 'file')}` : 'Upload'}
        onChoose={send}
      />
      <span className="soft">2 credits per started 10 MiB, paid by {account?.name ?? 'the account above'}</span>
    </LiveOnly>
  );
  return <RecordList {...OBJECTS} {...{ found, ...opening, tools }} />;
}

export function ObjectDrawer({ id, onClose }: TabDrawerProps) {
  const listed = useRecordFromList('listAllObjects', id);
  return (
    <RecordDrawer
      {...{ ...listed, label: 'Storage object', onClose }}
      title={({ name }) => name}
      tools={(object) => <ObjectTools object={object} onDone={onClose} />}
      before={(object) => (
        <div className="drawer-tools">
          <MediaView file={object} label={object.name} />
        </div>
      )}
      details={objectDetails}
    />
  );
}

function objectDetails({ id, account_id, content_type, bytes, created, url }: StoredObject) {
  return {
    Object: <IdChip id={id} />,
    Account: <IdChip id={account_id} />,
    Type: content_type,
    Size: byteSizeText(bytes),
    Stored: <RelativeTime at={created} />,
    URL: (
      <a className="named mono" href={loadableFileUrl(url)} target="_blank" rel="noopener">
        {url}
      </a>
    ),
  };
}

function ObjectTools({ object: { id, account_id, url }, onDone }: { object: StoredObject; onDone: () => void }) {
  return (
    <>
      <CopyTextButton name="Copy URL" text={() => url} />
      <LinkButton text="Download" icon={icons.Download} href={loadableFileUrl(url)} download />
      <DeleteRecord
        remove={() => withAccountKey(account_id, (key) => callService('DELETE', `/storage/objects/${id}`, { key }))}
        onClose={onDone}
        title="Delete this object?"
        note="Its URL stops working."
      />
    </>
  );
}

interface DeleteRecordProps {
  remove: () => Promise<unknown>;
  title: string;
  note: string;
  onClose: () => void;
}

/** Closes the drawer first, so that the deleted record is not requested again. */
function DeleteRecord({ remove, onClose, ...confirm }: DeleteRecordProps) {
  const act = () => {
    onClose();
    return remove();
  };
  const look = { text: 'Delete', icon: icons.Trash2, variant: 'quiet', isSmall: true } as const;
  return <ActionButton {...look} act={act} toast={['Deleted']} confirm={confirm} />;
}

function useUploads(accountId: string | undefined) {
  const [underWay, setUnderWay] = useState(0);
  const send = (files: readonly File[]) => {
    if (accountId === undefined || files.length === 0) return;
    setUnderWay((before) => before + files.length);
    withAccountKey(accountId, (key) => sendAll(key, files))
      .catch(showErrorToast)
      .finally(() => setUnderWay((before) => before - files.length));
  };
  return { underWay, send };
}

type Stored = { usage: { credits_spent: number } };

async function sendAll(key: string, files: readonly File[]): Promise<void> {
  for (const file of files) {
    const form = new FormData();
    form.set('file', file);
    const { usage } = await callService<Stored>('POST', '/storage/objects', { key, form });
    showToast(`Stored ${file.name}`, pluralizeCount(usage.credits_spent, 'credit'), 'good');
  }
}
