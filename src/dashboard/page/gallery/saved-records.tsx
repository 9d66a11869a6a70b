import * as icons from 'lucide-react';
import { byteSizeText } from '../../../control/orders/timeline-entry.ts';
import { CopyTextButton } from '../components/action-button.tsx';
import {
  column,
  type ListSpec,
  mutedColumn,
  type OpenRowProps,
  RecordList,
  relativeTimeColumn,
} from '../components/data-list.tsx';
import { Drawer, RecordDrawer, type TabDrawerProps } from '../components/drawer.tsx';
import { type FieldSpec, FieldsForm } from '../components/form.tsx';
import { MediaView } from '../components/media-view.tsx';
import { Button, FileButton, LinkButton, showErrorToast, showToast } from '../components/page-parts.tsx';
import { Picture } from '../components/picture.tsx';
import { IdChip, pluralizeCount, RelativeTime, shortId } from '../components/values.tsx';
import { useAccountSelection, withAccountKey } from '../data/account-and-clock.ts';
import { callControl, callService, loadableFileUrl } from '../data/call-api.ts';
import { type ListRecord, useActionMutation, useFilteredRecords, useRecordFromList } from '../data/queries.ts';

type SavedElement = ListRecord<'listElements'>;
type StoredObject = ListRecord<'listAllObjects'>;

const NEW_ELEMENT = 'el_new';

function pictureCell({ picture_url: url }: SavedElement) {
  return <span className="thumb centred soft">{url ? <Picture url={url} /> : <icons.UserRound aria-hidden />}</span>;
}

const ELEMENTS: ListSpec<SavedElement> = {
  label: 'Elements',
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
  icon: icons.UserRound,
  hint: 'Save a character or an object, then name it in video prompts: @mara opens the door.',
};

export function ElementsTab(opening: OpenRowProps) {
  const found = useFilteredRecords('listElements');
  const tools = <Button text="New element" icon={icons.Plus} onClick={() => opening.onOpen(NEW_ELEMENT)} />;
  return <RecordList {...ELEMENTS} {...{ found, tools }} {...opening} />;
}

export function ElementDrawer({ id, onClose }: TabDrawerProps) {
  const { account } = useAccountSelection();
  const listed = useRecordFromList('listElements', id);
  if (id === NEW_ELEMENT) {
    return (
      <Drawer label="Element" title="New element" onClose={onClose}>
        <FieldsForm
          fields={ELEMENT_FIELDS}
          action={`Save for ${account?.name ?? 'this account'}`}
          send={({ handle = '', kind = '', name = '', image, voice }) => {
            const files = { image: image || undefined, voice: voice || undefined };
            return callControl('createElement', { account_id: account?.id ?? '', handle, kind, name, ...files });
          }}
          onSuccess={onClose}
          isDisabled={() => account === undefined}
        />
      </Drawer>
    );
  }
  return (
    <RecordDrawer
      {...{ ...listed, label: 'Element', gone: 'This element was deleted.', onClose }}
      title={({ handle }) => `@${handle}`}
      remove={({ handle }) => ({
        ...QUIET,
        act: () => callControl('removeElement', { id }),
        confirm: { title: `Delete @${handle}?`, note: 'Existing files are kept.' },
      })}
      before={({ name, picture_url, voice_url }) => (
        <div className="drawer-tools">
          {picture_url && <MediaView file={{ url: picture_url, content_type: 'image/*' }} label={name} />}
          {voice_url && <MediaView file={{ url: voice_url, content_type: 'audio/*' }} label={`Voice of ${name}`} />}
        </div>
      )}
      details={({ name, kind, account_id, created }) => ({
        Name: name,
        Kind: kind,
        Element: <IdChip id={id} />,
        Account: <IdChip id={account_id} />,
        Saved: <RelativeTime at={created} />,
      })}
    />
  );
}

const HANDLE = 'The name in prompts, such as @mara. Use letters, digits, dashes and underscores.';

const ELEMENT_FIELDS: readonly FieldSpec[] = [
  { name: 'handle', label: 'Handle', type: 'text', note: HANDLE },
  { name: 'name', label: 'Name', type: 'text', note: 'The display name.' },
  { name: 'kind', label: 'Kind', type: 'text', value: 'character', note: 'A word such as character or object.' },
  { name: 'image', label: 'Image', type: 'file', accept: 'image/*', note: 'The reference for videos.' },
  { name: 'voice', label: 'Voice', type: 'file', accept: 'audio/*', note: 'A WAV or MP3 of its voice.' },
];

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
  icon: icons.HardDrive,
  none: 'No stored files yet',
  hint: 'Upload a file, or generate an image or a video with "store": true.',
};

export function ObjectsTab(opening: OpenRowProps) {
  const { account } = useAccountSelection();
  const found = useFilteredRecords('listAllObjects');
  const { mutate, isPending, variables } = useActionMutation((files: readonly File[]) =>
    withAccountKey(account?.id ?? '', (key) => storeFiles(key, files)).catch(showErrorToast),
  );
  const tools = (
    <>
      <FileButton
        {...{ label: 'Files to store', icon: icons.Upload, variant: 'primary' }}
        disabled={isPending || account === undefined}
        text={isPending ? `Storing ${pluralizeCount(variables.length, 'file')}` : 'Upload'}
        onChoose={mutate}
      />
      <span className="soft">2 credits per started 10 MiB, paid by {account?.name ?? 'the account above'}</span>
    </>
  );
  return <RecordList {...OBJECTS} {...{ found, ...opening, tools }} />;
}

export function ObjectDrawer({ id, onClose }: TabDrawerProps) {
  const listed = useRecordFromList('listAllObjects', id);
  return (
    <RecordDrawer
      {...{ ...listed, label: 'Storage object', gone: 'This object was deleted.', onClose }}
      title={({ name }) => name}
      tools={({ url }) => (
        <>
          <CopyTextButton name="Copy URL" text={() => url} />
          <LinkButton text="Download" icon={icons.Download} href={loadableFileUrl(url)} download />
        </>
      )}
      remove={({ account_id }) => ({
        ...QUIET,
        act: () => withAccountKey(account_id, (key) => callService('DELETE', `/storage/objects/${id}`, { key })),
        confirm: { title: 'Delete this object?', note: 'Its URL stops working.' },
      })}
      before={(object) => (
        <div className="drawer-tools">
          <MediaView file={object} label={object.name} />
        </div>
      )}
      details={({ account_id, content_type, bytes, created, url }) => ({
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
      })}
    />
  );
}

const QUIET = { variant: 'quiet', isSmall: true, toast: ['Deleted'] } as const;

type Stored = { usage: { credits_spent: number } };

async function storeFiles(key: string, files: readonly File[]): Promise<void> {
  for (const file of files) {
    const form = new FormData();
    form.set('file', file);
    const { usage } = await callService<Stored>('POST', '/storage/objects', { key, form });
    showToast(`Stored ${file.name}`, pluralizeCount(usage.credits_spent, 'credit'), 'good');
  }
}
