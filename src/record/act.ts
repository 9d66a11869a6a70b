/** What is written down beside requests, ledger, jobs and events. */
export const ACT_KINDS = ['write', 'deletion', 'clock', 'read', 'poll'] as const;
export type ActKind = (typeof ACT_KINDS)[number];

/** The call by which it came; of a connection that was reset the status is 0. */
export interface ActCall {
  method: string;
  /** Without its query. */
  path: string;
  status: number;
  /** The connection was over before the answer was. */
  cut: boolean;
}

/** What else is told of it, by its kind. */
export interface ActDetail {
  /** Of a write: body and answer as they were kept, redacted and bounded. */
  request?: string | null;
  answer?: string | null;
  /** Of a deletion: what stood there before. */
  was?: Record<string, unknown>;
  /** Of the clock: how far it was moved, in milliseconds, and whether it runs from now on. */
  moved?: number;
  runs?: boolean;
  /** Of a poll: the state of the job that it saw, and the request. */
  seen?: string;
  request_id?: string;
}

/** Something that was done to the emulator or read from it. */
export interface Act {
  kind: ActKind;
  /** Milliseconds of the machine's clock, and of the emulator's. */
  at: number;
  now: number;
  accountId: string | null;
  call: ActCall | null;
  /** The id of what it is about, where it has one. */
  ref: string | null;
  detail: ActDetail;
}

export interface StoredAct extends Act {
  /** Where it stands: later ones have more. */
  position: number;
}
