import type { Random } from './random.ts';

/** What each id begins with. */
export const PREFIX = {
  account: 'acct',
  completion: 'chatcmpl',
  delivery: 'dlv',
  element: 'el',
  entry: 'le',
  endpoint: 'we',
  event: 'evt',
  fault: 'flt',
  fixture: 'fix',
  flow: 'flow',
  job: 'job',
  key: 'key',
  library: 'lib',
  message: 'msg',
  object: 'obj',
  post: 'post',
  run: 'run',
  workspace: 'ws',
} as const;

/** What secrets begin with: by it they are made, and by it the journal takes them out of whatever it keeps. */
export const SECRET_PREFIX = { key: 'svc_sk_', signing: 'whsec_' } as const;

export type IdKind = keyof typeof PREFIX;

/** The nth id of a kind within its owner: `obj_` and 24 hex digits. */
export function makeId(random: Random, kind: IdKind, owner: string, n: number): string {
  return `${PREFIX[kind]}_${random.name(owner, kind, n)}`;
}
