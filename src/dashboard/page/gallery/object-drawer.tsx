import { Check, Download, Link2, Trash2 } from 'lucide-react';
import { withKey } from '../data/borrow-key.ts';
import { callService, nearUrl } from '../data/call-api.ts';
import { useRecord } from '../data/queries.ts';
import { Button } from '../pieces/button.tsx';
import { byteSize } from '../pieces/byte-size.ts';
import { Confirm } from '../pieces/confirm.tsx';
import { useCopy } from '../pieces/copy-button.tsx';
import { Drawer } from '../pieces/drawer.tsx';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { IdChip } from '../pieces/id-chip.tsx';
import { MediaView } from '../pieces/media-view.tsx';
import { Facts, Section } from '../pieces/page-head.tsx';
import { RelativeTime } from '../pieces/relative-time.tsx';
import { say, sayError } from '../pieces/toast.tsx';
import type { StoredObject } from './gallery-records.ts';

/** A file under a permanent URL. */
export function ObjectDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error } = useRecord<StoredObject>(`/objects/${id}`);
  const object = data?.id === id ? data : undefined;
  return (
    <Drawer label="Storage object" title={object?.name ?? id} onClose={onClose}>
      <ErrorNotice error={error} />
      {object && !error && (
        <>
          <div className="object-preview">
            <MediaView url={nearUrl(object.url)} contentType={object.content_type} label={object.name} />
          </div>
          <ObjectTools object={object} onDone={onClose} />
          <Section title="Facts">
            <Facts facts={factsOf(object)} />
          </Section>
        </>
      )}
    </Drawer>
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
      <a className="named" href={nearUrl(url)} target="_blank" rel="noreferrer">
        {url}
      </a>
    ),
  };
}

function ObjectTools({ object, onDone }: { object: StoredObject; onDone: () => void }) {
  const { id, account_id, url } = object;
  const { copied, copy } = useCopy();
  const remove = () => {
    // Closed first: what is gone is not asked for once more.
    onDone();
    withKey(account_id, (key) => callService('DELETE', `/storage/objects/${id}`, { key })).then(
      () => say('Deleted', undefined, 'good'),
      sayError,
    );
  };
  return (
    <div className="drawer-tools">
      <Button icon={copied ? <Check aria-hidden /> : <Link2 aria-hidden />} onClick={() => copy(url)}>
        {copied ? 'Copied' : 'Copy URL'}
      </Button>
      <a className="button" href={nearUrl(url)} download>
        <Download aria-hidden /> Download
      </a>
      <Confirm
        trigger={<Button look="quiet" icon={<Trash2 aria-hidden />} aria-label="Delete" />}
        title="Delete this object?"
        note="Its URL answers nothing any more."
        action="Delete"
        onConfirm={remove}
      />
    </div>
  );
}
