import type { ListItem, OperationName, WireAnswer, WireInput } from '../control/call-operation.ts';

type CamelKey<Key> = Key extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelKey<Tail>>}` : Key;

type Camel<T> = T extends readonly (infer Item)[]
  ? Camel<Item>[]
  : T extends object
    ? { [Key in keyof T as string extends Key ? Key : CamelKey<Key>]: Camel<T[Key]> }
    : T;

/** The fields of path, query and body together. Their names are in camel case or as in the HTTP reference. */
export type OperationInput<Name extends OperationName> = Camel<WireInput<Name>> | WireInput<Name>;

type Unlisted<Answer> = Answer extends { object: 'list'; data: infer Items }
  ? Exclude<keyof Answer, 'object' | 'data'> extends never
    ? Items
    : Answer
  : Answer;

/** The response of an operation in camel case. A list without other fields is the array of its records, in its order. */
export type OperationAnswer<Name extends OperationName> = Camel<Unlisted<WireAnswer<Name>>>;

export type ControlMethods = {
  readonly [Name in OperationName]: object extends OperationInput<Name>
    ? (order?: OperationInput<Name>) => Promise<OperationAnswer<Name>>
    : (order: OperationInput<Name>) => Promise<OperationAnswer<Name>>;
};

/** Without `workspaceId`, a new workspace is created for the account. */
export type AccountSettings = NonNullable<OperationInput<'createAccount'>>;
/** The key is shown only when the account is created. */
export type OpenedAccount = OperationAnswer<'createAccount'>;
export type Plan = OpenedAccount['plan'];
export type Role = OpenedAccount['role'];
/** `amount` is negative for a charge, `balance` is the balance after the entry, `created` is in unix seconds. */
export type LedgerEntry = ListItem<OperationAnswer<'listUsage'>>;
/** A job has an `error` if it failed, and a `resultUrl` if it succeeded. */
export type AccountJob = OperationAnswer<'getJob'>;
export type AccountEvent = ListItem<OperationAnswer<'listEvents'>>;
export type EventType = AccountEvent['type'];
export type AccountDelivery = ListItem<OperationAnswer<'listDeliveries'>>;
export type InboxMessage = ListItem<OperationAnswer<'listMessages'>>;
export type FlowRun = OperationAnswer<'showRun'>;
/** API keys in the request are masked, and long bodies are cut. */
export type JournalledRequest = OperationAnswer<'showRequest'>;
/** `now` is in ISO 8601. */
export type ClockReading = OperationAnswer<'getClock'>;
/** `value` is in seconds of the emulator's clock, or a number of polls. */
export type ProgressionInput = OperationInput<'setProgression'>;
export type Health = OperationAnswer<'getHealth'>;
export type InvariantReport = OperationAnswer<'getInvariants'>;
/** A rule applies once unless `times` is given; 0 means until it is deleted. */
export type FaultRuleSettings = OperationInput<'createFault'>;
export type FaultRuleRecord = OperationAnswer<'createFault'>;
/** A rule without any of these fields matches every request that its effect can affect. */
export type FaultRuleMatch = FaultRuleRecord['match'];
/** Times are milliseconds of real time, but `retryAfter` is in seconds. Events of a stream count from 1. */
export type FaultEffect = FaultRuleSettings['effect'];
/** Accounts and models are sorted by cost, highest first; days are newest first. */
export type UsageSummary = OperationAnswer<'summarizeSpending'>;
export type Explanation = OperationAnswer<'explainRequest'>;
export type Verdict = OperationAnswer<'judgeClient'>;
