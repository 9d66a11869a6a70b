import { type OperationName, operationsOver, type Transport } from '../control/call-operation.ts';
import type {
  AccountDelivery,
  AccountEvent,
  AccountJob,
  ClockReading,
  ControlCalls,
  EventType,
  FaultOrder,
  FaultRecord,
  FlowRun,
  InboxMessage,
} from './client-records.ts';

/** A span of time; the parts are added up. */
export interface Duration {
  days?: number;
  hours?: number;
  minutes?: number;
  seconds?: number;
}

/** The span in seconds. Throws `TypeError` for an unknown part, which would leave the clock where it is [I233]. */
export function secondsOf({ days = 0, hours = 0, minutes = 0, seconds = 0, ...rest }: Duration): number {
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    throw new TypeError(`${unknown} is no part of a duration; it has days, hours, minutes and seconds.`);
  }
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
}

/** The emulator's clock. Every move resolves when all that thereby fell due has settled. */
export type ClockClient = ReturnType<typeof clockOver>;

export function clockOver(calls: ControlCalls) {
  const isoOf = (time: Date | string) => new Date(time).toISOString();
  return {
    read: (): Promise<ClockReading> => calls.getClock(),
    advance: (by: Duration): Promise<ClockReading> => calls.advanceClock({ seconds: secondsOf(by) }),
    /** Sets the time; it runs on, or stays frozen, as before. */
    set: (now: Date | string): Promise<ClockReading> => calls.setClock({ now: isoOf(now) }),
    /** Stops the clock, at its time or at `now`. */
    freeze: (now?: Date | string): Promise<ClockReading> =>
      calls.setClock({ ...(now !== undefined && { now: isoOf(now) }), frozen: true }),
    unfreeze: (): Promise<ClockReading> => calls.setClock({ frozen: false }),
  };
}

/** Rules that make requests fail on purpose. Without an account they apply to the requests of every account. */
export type FaultClient = ReturnType<typeof faultsOver>;

export function faultsOver(calls: ControlCalls, accountId?: string) {
  const own = accountId === undefined ? {} : { accountId };
  return {
    add: (order: FaultOrder): Promise<FaultRecord> =>
      calls.createFault({ ...order, match: { ...order.match, ...own } } as FaultOrder),
    list: (): Promise<FaultRecord[]> => calls.listFaults(own),
    remove: (id: string): Promise<void> => calls.deleteFault({ id }),
    clear: (): Promise<void> => calls.deleteFaults(own),
  };
}

/** A built-in receiver: give its `url` to a webhook endpoint, and read what came. */
export type InboxClient = Readonly<ReturnType<typeof inboxOver>>;

export function inboxOver(
  { control: calls, waitFor, url }: { control: ControlCalls; waitFor: WaitClient; url: string },
  name: string,
) {
  return {
    name,
    /** The URL that deliveries are sent to. */
    url: `${url}/_emulator/inbox/${encodeURIComponent(name)}`,
    /** What came, oldest first. */
    messages: async (): Promise<InboxMessage[]> => (await calls.listMessages({ name })).reverse(),
    /** The next genuine message, at once when there is one already. */
    wait: (options?: MessageWaitOptions): Promise<InboxMessage> => waitFor.message(name, options),
    clear: (): Promise<void> => calls.deleteMessages({ name }),
  };
}

/** What was saved under a name: the whole state, files and clock included. */
export type SnapshotClient = Readonly<ReturnType<typeof snapshotOver>>;

export function snapshotOver(calls: ControlCalls, name: string) {
  return {
    name,
    /** Goes back to it; may be called any number of times. */
    restore: async (): Promise<void> => void (await calls.restoreSnapshot({ name })),
    remove: (): Promise<void> => calls.removeSnapshot({ name }),
  };
}

/** How long to wait, and what does not count. */
export interface WaitOptions {
  /** Seconds of real time; 10 by default. */
  timeout?: number;
  /** Narrows events, deliveries and idleness to one account. */
  accountId?: string;
  /** The same, as the HTTP reference names it. */
  account_id?: string;
  /** The id of an event, a delivery or a message: what came up to it does not count. */
  after?: string;
}

/** As `WaitOptions`, of what is signed. */
export interface SignedWaitOptions extends WaitOptions {
  /**
   * By default only what is genuine: signed with the endpoint's secret, and not too long ago. `false` takes forged
   * and otherwise faulty ones too. A duplicate of a genuine one is genuine.
   */
  genuine?: boolean;
}

/** Of a message: an inbox belongs to no account. */
export type MessageWaitOptions = Omit<SignedWaitOptions, 'accountId' | 'account_id'>;

/** Waits without polling: each resolves the moment its condition holds, and rejects with `timeout` (408) when it does not in time. */
export type WaitClient = ReturnType<typeof waitsOver>;

export function waitsOver(transport: Transport, ofAccount?: string) {
  async function foundRecord(
    what: string,
    { timeout, after, genuine, account_id, accountId = account_id ?? ofAccount }: SignedWaitOptions = {},
  ): Promise<object> {
    const signed = genuine === undefined ? undefined : (`${genuine}` as const);
    const input = { for: what, timeout, after, genuine: signed, account_id: accountId };
    const { for: _, ...found } = await operationsOver(transport)('waitFor', input);
    return found;
  }
  /** The record that was waited for, as the operation `shownBy` answers it. */
  async function wait<Name extends OperationName>(what: string, shownBy: Name, options?: SignedWaitOptions) {
    const { asAnswerOf } = await import('./camel-calls.ts');
    return asAnswerOf(shownBy, await foundRecord(what, options));
  }
  return {
    /** Until a job is final. */
    job: (id: string, options?: WaitOptions): Promise<AccountJob> => wait(`job:${id}`, 'getJob', options),
    /** Until a flow's run is final. */
    run: (id: string, options?: WaitOptions): Promise<FlowRun> => wait(`run:${id}`, 'showRun', options),
    /** Until an event of that type is on record. */
    event: (type: EventType, options?: WaitOptions): Promise<AccountEvent> =>
      wait(`event:${type}`, 'showEvent', options),
    /** Until a genuine delivery of an event of that type was attempted and recorded. */
    delivery: (type: EventType, options?: SignedWaitOptions): Promise<AccountDelivery> =>
      wait(`delivery:${type}`, 'redeliver', { genuine: true, ...options }),
    /** Until a built-in receiver of that name holds a genuine message. */
    message: async (inbox: string, options?: MessageWaitOptions): Promise<InboxMessage> => {
      const found = await foundRecord(`inbox:${inbox}`, { genuine: true, ...options });
      const { asItemOf } = await import('./camel-calls.ts');
      return asItemOf('listMessages', found);
    },
    /** Until nothing is queued, rendered, run or delivered. */
    idle: async (options?: WaitOptions): Promise<void> => void (await foundRecord('idle', options)),
  };
}
