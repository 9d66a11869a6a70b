export type { KeyRecord } from '../../../control/key-control.ts';

/** A key that was just made: its text is shown this once. */
export interface MadeKey {
  accountId: string;
  text: string;
}

/** A drawer of this area, by the id of what it shows. */
export interface PeopleDrawerProps {
  id: string;
  made: MadeKey | undefined;
  onMade: (key: MadeKey) => void;
  onClose: () => void;
}

export const ROLES = [
  { value: 'owner', text: 'Owner', note: 'manages webhooks' },
  { value: 'admin', text: 'Admin', note: 'manages webhooks' },
  { value: 'member', text: 'Member', note: 'uses the service' },
];
