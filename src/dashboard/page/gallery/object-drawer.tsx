import { Check, Download, Link2, Trash2 } from 'lucide-react';
import { withKey } from '../data/borrow-key.ts';
import { callService, nearUrl } from '../data/call-api.ts';
import { useOne } from '../data/queries.ts';
import { Act } from '../pieces/act.tsx';
import { Button } from '../pieces/button.tsx';
import { byteSize } from '../pieces/byte-size.ts';
import { useCopy } from '../pieces/copy-button.tsx';
import { IdChip } from '../pieces/id-chip.tsx';
import { MediaView } from '../pieces/media-view.tsx';
import { RecordDrawer } from '../pieces/record-drawer.tsx';
import { RelativeTime } from '../pieces/relative-time.tsx';
import type { StoredObject } from './gallery-records.ts';

/** A file under a permanent URL. */
export function ObjectDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { record, error } = useOne<StoredObject>('/objects', id);
  return (
    <RecordDrawer
      {...{ label: 'Storage object', id, record, error, onClose }}
      title={({ name }) => name}
      tools={(object) => <ObjectTools object={object} onDone={onClose} />}
      before={({ url, content_type, name }) => (
        <div className="drawer-tools">
          <MediaView url={nearUrl(url)} contentType={content_type} label={name} />
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
      <a className="named mono" href={nearUrl(url)} target="_blank" rel="noreferrer">
        {url}
      </a>
    ),
  };
}

function ObjectTools({ object: { id, account_id, url }, onDone }: { object: StoredObject; onDone: () => void }) {
  const { copied, copy } = useCopy();
  const remove = () => {
    // Closed first: what is gone is not asked for once more.
    onDone();
    return withKey(account_id, (key) => callService('DELETE', `/storage/objects/${id}`, { key }));
  };
  return (
    <>
      <Button icon={copied ? <Check aria-hidden /> : <Link2 aria-hidden />} onClick={() => copy(url)}>
        {copied ? 'Copied' : 'Copy URL'}
      </Button>
      <a className="button" href={nearUrl(url)} download>
        <Download aria-hidden /> Download
      </a>
      <Act
        text="Delete"
        icon={Trash2}
        look="quiet"
        isSmall
        act={remove}
        said={['Deleted']}
        ask={{ title: 'Delete this object?', note: 'Its URL answers nothing any more.' }}
      />
    </>
  );
}
