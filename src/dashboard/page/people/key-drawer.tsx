import { useRecord } from '../data/queries.ts';
import { Drawer } from '../pieces/drawer.tsx';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { AccountDrawer } from './account-drawer.tsx';
import type { KeyRecord, MadeKey } from './people-records.ts';

interface KeyDrawerProps {
  id: string;
  made: MadeKey | undefined;
  onMade: (key: MadeKey) => void;
  onClose: () => void;
}

/** A key is shown with its account. */
export function KeyDrawer({ id, ...rest }: KeyDrawerProps) {
  const { data, error } = useRecord<KeyRecord>(`/keys/${id}`);
  if (data?.id === id) return <AccountDrawer {...rest} id={data.account_id} keyId={id} />;
  return (
    <Drawer label="Key" title={id} onClose={rest.onClose}>
      <ErrorNotice error={error} />
    </Drawer>
  );
}
