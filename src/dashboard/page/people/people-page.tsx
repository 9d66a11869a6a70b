import { useState } from 'react';
import { useAccounts } from '../data/chosen-account.ts';
import { Split } from '../pieces/drawer.tsx';
import { PageHead } from '../pieces/page-head.tsx';
import { SearchBox } from '../pieces/search-box.tsx';
import { useFilter } from '../pieces/use-filter.ts';
import { useOpened } from '../pieces/use-opened.ts';
import { AccountDrawer, KeyDrawer } from './account-drawer.tsx';
import { NewAccountForm } from './new-account-form.tsx';
import { PeopleList } from './people-list.tsx';
import type { MadeKey, PeopleDrawerProps } from './people-records.ts';
import { WorkspaceDrawer } from './workspace-drawer.tsx';
import './people.css';

/** Who there is, in which workspace, with which role and keys. */
export default function PeoplePage() {
  const { accounts, isPending } = useAccounts();
  const { id, open, close } = useOpened('people');
  const [text, setText] = useFilter('q');
  const [made, setMade] = useState<MadeKey>();
  const show = (key: MadeKey) => {
    setMade(key);
    open(key.accountId);
  };
  return (
    <Split drawer={id && <AnyDrawer {...{ id, made }} onClose={close} onMade={show} />}>
      <PageHead title="Keys and people">
        <SearchBox label="Search accounts" value={text} onChange={setText} />
        <span className="grow" />
        <NewAccountForm onMade={show} />
      </PageHead>
      <PeopleList {...{ accounts, text, isPending }} opened={id} onOpen={open} />
    </Split>
  );
}

/** What an id is, is told by its beginning. */
function AnyDrawer(props: PeopleDrawerProps) {
  const { id } = props;
  if (id.startsWith('key_')) return <KeyDrawer {...props} />;
  if (id.startsWith('ws_')) return <WorkspaceDrawer {...props} />;
  return <AccountDrawer {...props} />;
}
