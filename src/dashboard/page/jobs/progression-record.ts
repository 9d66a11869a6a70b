/** What is in force for an account; `account_id` is there where it is its own. */
export interface ProgressionRecord {
  mode: 'render' | 'seconds' | 'polls' | 'manual';
  value?: number;
  account_id?: string;
}
