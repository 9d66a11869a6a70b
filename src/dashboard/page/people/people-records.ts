export type { KeyRecord } from '../../../control/key-control.ts';

/** A key that was just made: its text is shown this once. */
export interface MadeKey {
  accountId: string;
  text: string;
}

export const ROLES = [
  { value: 'owner', text: 'Owner', note: 'manages webhooks' },
  { value: 'admin', text: 'Admin', note: 'manages webhooks' },
  { value: 'member', text: 'Member', note: 'uses the service' },
];
