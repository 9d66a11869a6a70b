import type { ItemOf, OperationName, WireAnswer, WireInput } from '../control/call-operation.ts';

type CamelKey<Key> = Key extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelKey<Tail>>}` : Key;

/** The same with its fields in camel case; the keys of a record belong to the user and stay. */
type Camel<T> = T extends readonly (infer Item)[]
  ? Camel<Item>[]
  : T extends object
    ? { [Key in keyof T as string extends Key ? Key : CamelKey<Key>]: Camel<T[Key]> }
    : T;

/**
 * What an operation takes: the parameters of its path, its query and its body in one; in camel case, or with the names of
 * the HTTP reference.
 */
export type OrderOf<Name extends OperationName> = Camel<WireInput<Name>> | WireInput<Name>;

type Unlisted<Answer> = Answer extends { object: 'list'; data: infer Items }
  ? Exclude<keyof Answer, 'object' | 'data'> extends never
    ? Items
    : Answer
  : Answer;

/** What it answers: of a list the records, newest first. */
export type AnswerOf<Name extends OperationName> = Camel<Unlisted<WireAnswer<Name>>>;

/** Every operation of the control surface by its name, with what it takes and answers in camel case. */
export type ControlCalls = {
  readonly [Name in OperationName]: object extends OrderOf<Name>
    ? (order?: OrderOf<Name>) => Promise<AnswerOf<Name>>
    : (order: OrderOf<Name>) => Promise<AnswerOf<Name>>;
};

/** What a new account is to be; without `workspaceId` it owns a workspace of its own. */
export type AccountOrder = NonNullable<OrderOf<'createAccount'>>;
/** An account that was just opened: its key is shown here only. */
export type OpenedAccount = AnswerOf<'createAccount'>;
export type Plan = OpenedAccount['plan'];
export type Role = OpenedAccount['role'];
/** One movement of money: `amount` is negative for a charge, `balance` is what was left after it, `created` unix seconds. */
export type LedgerEntry = ItemOf<AnswerOf<'listUsage'>>;
/** A render: `error` when it failed, `resultUrl` when it succeeded. */
export type AccountJob = AnswerOf<'getJob'>;
/** An event; `envelope` is what its deliveries carry. */
export type AccountEvent = ItemOf<AnswerOf<'listEvents'>>;
/** The types of events that endpoints subscribe to. */
export type EventType = AccountEvent['type'];
/** What was sent to an endpoint, and what came back. */
export type AccountDelivery = ItemOf<AnswerOf<'listDeliveries'>>;
/** What an inbox was sent. */
export type InboxMessage = ItemOf<AnswerOf<'listMessages'>>;
/** A flow's run, as an event carries it once it is final. */
export type FlowRun = AnswerOf<'showRun'>;
/** A request as the journal keeps it: keys redacted, bodies cut where they are long. */
export type JournalledRequest = AnswerOf<'showRequest'>;
/** The emulator's time as ISO 8601, and whether it is frozen. */
export type ClockReading = AnswerOf<'getClock'>;
/** How jobs move: `value` is seconds of the emulator's clock, or polls. */
export type Progression = OrderOf<'setProgression'>;
export type Health = AnswerOf<'getHealth'>;
export type InvariantReport = AnswerOf<'getInvariants'>;
/** A rule as it is made: it strikes once unless `times` says otherwise (0: until it is deleted). */
export type FaultOrder = OrderOf<'createFault'>;
/** A rule with how often it has applied. */
export type FaultRecord = AnswerOf<'createFault'>;
/** Which requests a rule strikes; what is left out matches all. */
export type FaultMatch = FaultRecord['match'];
/** What a rule does. Times are milliseconds of real time, events of a stream count from 1. */
export type FaultEffect = FaultOrder['effect'];
/** What an account was charged, the dearest first. */
export type UsageSummary = AnswerOf<'summarizeSpending'>;
/** What became of one request: each step in words, and the same as data. */
export type Explanation = AnswerOf<'explainRequest'>;
/** What a client did wrong, each with the requests that show it and what to do. */
export type Verdict = AnswerOf<'judgeClient'>;
