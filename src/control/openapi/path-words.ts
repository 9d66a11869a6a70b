import { PREFIX } from '../../base/database/id-store.ts';
import type { JsonSchema } from './json-schema.ts';

/** What the operations of a tag are about. */
const TAGS: Record<string, string> = {
  account: 'The account of a key: its credits and its plan.',
  accounts: 'Accounts with their keys, credits and budgets.',
  audio: 'Speech from a text, and the text of a recording.',
  chat: 'Answers to messages.',
  'check-flow': 'Checks of the definition of a flow.',
  choices: 'What the service leaves open, and what the emulator does there.',
  clock: 'The clock of the emulator.',
  deliveries: 'What endpoints were sent, and what they answered.',
  documents: 'Descriptions of the interface.',
  effects: 'What a fault rule can do.',
  elements: 'Saved characters, places and things.',
  endpoints: 'The webhook endpoints of all accounts.',
  engines: 'The video engines.',
  events: 'What webhook endpoints are sent.',
  explain: 'What a request did, in sentences.',
  faults: 'Rules that make requests, jobs and deliveries fail.',
  fixtures: 'Scripted answers.',
  flows: 'Series of steps that the service runs.',
  health: 'Whether the process answers.',
  holds: 'Rules that stop a message until it is released.',
  images: 'Pictures from a text.',
  inbox: 'A webhook receiver that keeps what it is sent.',
  instance: 'How this emulator was started.',
  invariants: 'Whether the records of money and jobs agree.',
  jobs: 'Jobs of all media, and how they end.',
  keys: 'API keys.',
  ledger: 'Ledger entries.',
  library: 'Results that are kept.',
  lies: 'Faults by which the service breaks one rule of its contract.',
  live: 'Changes as they happen.',
  models: 'The models and what they cost.',
  music: 'Songs from a text.',
  notes: 'Notes that a test leaves on the record.',
  objects: 'The uploaded files of all accounts.',
  orders: 'A request with the jobs, money and events that it caused.',
  price: 'What a request would cost.',
  progression: 'When jobs end.',
  ready: 'Whether requests are accepted.',
  record: 'Recorded answers.',
  renders: 'What is understood of a prompt.',
  requests: 'The journal of requests.',
  reset: 'Back to the state of a fresh start.',
  runs: 'Runs of flows.',
  search: 'Records that contain a text.',
  session: 'The session of a browser.',
  snapshots: 'Saved states.',
  spending: 'Credits by account, model and day.',
  storage: 'Uploaded files.',
  trace: 'A recording of what happened, as one page.',
  trail: 'The records that belong to an id.',
  units: 'The tests of a run.',
  verdict: 'How well a client uses the service.',
  verify: 'Checks of a webhook receiver.',
  videos: 'Clips from a text or a picture.',
  wait: 'Waiting for a condition.',
  webhooks: 'Subscriptions to events.',
  workspaces: 'Workspaces with their plans.',
};

/** What it is about: `audio` of /v1/audio/speech, `clock` of /_emulator/clock; of single files, `documents`. */
export function tagOf(path: string): string {
  const [root = '', subject = root] = path.split('/').filter(Boolean);
  return subject.includes('.') ? 'documents' : subject;
}

/** The tags of a document, in the order of their first use. */
export function describeTags(names: readonly string[]): JsonSchema[] {
  return [...new Set(names)].map((name) => ({ name, description: TAGS[name] }));
}

/** Of the path of a resource: what its id names, and what it begins with. */
const IDS: Record<string, readonly [what: string, prefix: string]> = {
  accounts: ['an account', PREFIX.account],
  deliveries: ['a delivery', PREFIX.delivery],
  elements: ['an element', PREFIX.element],
  endpoints: ['a webhook endpoint', PREFIX.endpoint],
  events: ['an event', PREFIX.event],
  explain: ['a request', 'req'],
  faults: ['a fault rule', PREFIX.fault],
  flows: ['a flow', PREFIX.flow],
  generations: ['a job', PREFIX.job],
  holds: ['a hold', 'hold'],
  jobs: ['a job', PREFIX.job],
  keys: ['an API key', PREFIX.key],
  ledger: ['a ledger entry', PREFIX.entry],
  library: ['a library entry', PREFIX.library],
  objects: ['an object', PREFIX.object],
  requests: ['a request', 'req'],
  runs: ['a run', PREFIX.run],
  trail: ['a job, a request, an event or another record', PREFIX.job],
  units: ['a test of a run', PREFIX.unit],
  webhooks: ['a webhook endpoint', PREFIX.endpoint],
  workspaces: ['a workspace', PREFIX.workspace],
};
const ID_DIGITS = '895d01a4b5fb06c2000001b1';
const REQUEST_DIGITS = '895d01a4b5fb000000f';

/** The parameter of a path that follows the name of a resource: `{id}` of /v1/webhooks/{id}. */
export function pathParameter(resource: string, name: string): JsonSchema {
  const [what, prefix] = IDS[resource] ?? [`an entry of ${resource}`, resource];
  const isId = name === 'id';
  const example = isId ? `${prefix}_${prefix === 'req' ? REQUEST_DIGITS : ID_DIGITS}` : `my-${name}`;
  const description = isId ? `The id of ${what}.` : `The ${name}, as ${resource} have it.`;
  return { name, in: 'path', required: true, description, schema: { type: 'string' }, example };
}
