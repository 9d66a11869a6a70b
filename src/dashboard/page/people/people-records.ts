/** A key without its text; stamps are unix seconds. */
export interface KeyRecord {
  id: string;
  account_id: string;
  created: number;
  revoked: number | null;
}

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
