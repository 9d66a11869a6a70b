import { OtherWords } from '../../control/openapi/known-words.ts';
import {
  affordable,
  BudgetTracker,
  balanceIn,
  cheapestEngine,
  ENGINE,
  freeWith,
  type PublishedPrice,
  priceOf,
} from './budget.ts';
import { caseFacts } from './case-facts.ts';
import { PAID, type PlannedCase, withNeeds } from './plan.ts';
import {
  isId,
  NotMeasured,
  type RequestValues,
  requireInService,
  Sender,
  type Target,
  waited,
} from './send-request.ts';
import {
  type AnswerShape,
  type CaseShape,
  type Fact,
  hasFailed,
  isFinalState,
  type ReceivedAnswer,
  shapeOf,
} from './shapes.ts';

/** What a measurement is to do. */
export interface MeasureOrder {
  /** Credits that may be spent. */
  budget: number;
  /** What everything that drift makes is named. */
  name: string;
  /** These cases and what they need; all of the plan where it is undefined. */
  only?: Iterable<string>;
  /** Called with each job that was ordered, before it is polled. */
  onJob?: (orderedBy: string, jobId: string) => Promise<void>;
  /** Waits until a job is final; without it the job is polled at the pace. */
  untilFinal?: (jobId: string) => Promise<unknown>;
  onProgress?: (done: number, planned: number) => void;
}

/** What was found out of one service. */
export interface Measured {
  cases: CaseShape[];
  /** The first request that was to be refused and was charged, in credits; at most so many where that cannot be seen. */
  loss?: { operation: string; case: string; credits: number; isCertain: boolean };
  planned: number;
  requests: number;
  credits: number;
  balanceBefore: number | null;
  balanceAfter: number | null;
  seconds: number;
  /** What went wrong beside the cases, in sentences. */
  notes: string[];
}

/** So many answers in a row that did not come: none will. */
const GIVEN_UP = 3;
const UNREAD = 'the balance could not be read';
/** How long a job is polled, in milliseconds. */
const LONGEST_JOB = 300_000;
const SHORTEST_POLL = 100;
/** Polls are further and further apart, up to so many paces. */
const MOST_PACES = 5;

/** Sends the plan to one service and keeps the shapes of its answers. */
export class Measurement {
  readonly #target: Target;
  readonly #order: MeasureOrder;
  readonly #only: ReadonlySet<string> | undefined;
  readonly #sender: Sender;
  readonly #cleanUp: CleanUp;
  readonly #budget: BudgetTracker;
  readonly #cases = new Map<string, CaseShape>();
  readonly #values = new Map<string, RequestValues>();
  readonly #endpoints: string[] = [];
  /** Paid groups that are still to be asked. */
  readonly #groups: (readonly PlannedCase[])[] = [];
  #models: PublishedPrice[] = [];
  #loss: Measured['loss'];
  #silent = 0;
  #planned = 0;

  constructor(target: Target, order: MeasureOrder) {
    this.#target = target;
    this.#order = order;
    this.#only = order.only && withNeeds(order.only);
    this.#sender = new Sender(target);
    this.#cleanUp = new CleanUp(target, order.name);
    this.#budget = new BudgetTracker(this.#sender, order.budget);
  }

  /** Measures as far as the budget goes, and deletes what it has made, whatever ends it. */
  async measure(): Promise<Measured> {
    const { clock } = this.#target;
    const began = clock.real();
    try {
      await this.#all(freeWith(this.#order.budget));
      const { groups } = affordable(PAID, this.#models, this.#order.budget);
      this.#planned += groups.flat().length;
      this.#groups.push(...groups);
      while (await this.#nextGroup());
    } catch (error) {
      if (!this.#target.signal.aborted) throw error;
    }
    const left = await this.#cleanUp.run();
    const after = this.#target.signal.aborted ? null : await this.#budget.end();
    return {
      cases: [...this.#cases.values()],
      ...(this.#loss && { loss: this.#loss }),
      planned: this.#planned,
      requests: this.#sender.sent + this.#cleanUp.sent,
      credits: this.#budget.booked,
      balanceBefore: this.#budget.before,
      balanceAfter: after,
      seconds: (clock.real() - began) / 1000,
      notes: left,
    };
  }

  async #all(cases: readonly PlannedCase[]): Promise<void> {
    const chosen = cases.filter(({ id }) => this.#isChosen(id));
    this.#planned += chosen.length;
    for (const each of chosen) await this.#one(each);
  }

  /** Whether there was another group. A price that was off before may leave no room for what fitted at first. */
  async #nextGroup(): Promise<boolean> {
    const group = this.#groups.shift();
    if (group === undefined) return false;
    const price = group.reduce((sum, each) => sum + priceOf(each, this.#models), 0);
    for (const each of group.filter(({ id }) => this.#isChosen(id))) {
      if (each.price === undefined || this.#budget.allows(price)) await this.#one(each);
      else this.#keep(each, { not_measured: this.#budget.isReadable ? 'the budget is used up' : UNREAD });
    }
    return true;
  }

  #isChosen(id: string): boolean {
    return this.#only?.has(id) ?? true;
  }

  async #one(planned: PlannedCase): Promise<void> {
    try {
      const values = this.#valuesFor(planned);
      const shape = await (planned.polls ? this.#polled(planned, values) : this.#asked(planned, values));
      this.#keep(planned, { shape });
    } catch (error) {
      if (!(error instanceof NotMeasured)) throw error;
      this.#keep(planned, { not_measured: error.message });
    }
    this.#order.onProgress?.(this.#cases.size, this.#planned);
  }

  #keep({ id, operation, case: words }: PlannedCase, outcome: Pick<CaseShape, 'shape' | 'not_measured'>): void {
    this.#cases.set(id, { id, operation, case: words, ...outcome });
  }

  /** What a case is filled with. Throws `NotMeasured` where what it needs is not there. */
  #valuesFor({ needs, model, risk }: PlannedCase): RequestValues {
    const { name } = this.#order;
    if (this.#silent >= GIVEN_UP) throw new NotMeasured('no answer', false);
    if (risk !== undefined && this.#budget.noRefusals !== undefined) throw new NotMeasured(this.#budget.noRefusals);
    const engine = cheapestEngine(this.#models)?.id;
    if (model === ENGINE && engine === undefined) throw new NotMeasured('no engine is published');
    const own = { name: `${name}-${this.#cases.size}`, ...(engine !== undefined && { engine }) };
    if (needs === undefined) return own;
    const values = this.#values.get(needs);
    if (!values) throw new NotMeasured(`depends on: ${this.#cases.get(needs)?.case ?? needs}`);
    return { ...values, ...own };
  }

  /** Asks once. Throws `NotMeasured` where the answer is of no interface, or of one that does not serve. */
  async #asked(planned: PlannedCase, values: RequestValues): Promise<AnswerShape> {
    const { request, makes, risk } = planned;
    const price = this.#priceOf(planned);
    if (makes && risk === undefined) this.#cleanUp.expect(makes);
    const answer = await this.#answer(planned, values);
    const { status, json } = answer;
    if (status >= 500 && price !== undefined) await this.#budget.bookLost(price);
    requireInService(status);
    if (status === 401 && request.key === undefined) throw new NotMeasured(`${status}`);
    const isWell = status < 300;
    const own = isWell ? valuesOf(json) : {};
    if (makes && isWell && own.id !== undefined) this.#cleanUp.expect(makes, own.id);
    if (risk === undefined) return this.#served(planned, answer, { values, own, price });
    if (isWell) await this.#bookAccepted(planned, answer);
    return shapeOf(answer);
  }

  /** Books an answer, learns from it what later cases ask for, and answers its shape. */
  async #served(
    planned: PlannedCase,
    answer: ReceivedAnswer,
    { values, own, price }: { values: RequestValues; own: RequestValues; price: number | undefined },
  ): Promise<AnswerShape> {
    const before = this.#budget.balance;
    const spent = await this.#budget.book(answer, price);
    const charged: RequestValues = price === undefined || spent === undefined ? {} : { charged: String(spent) };
    if (answer.status < 300) {
      this.#values.set(planned.id, { ...values, ...own, ...charged });
      this.#learn(planned, answer.json, own);
      if (own.id && price !== undefined) await this.#order.onJob?.(planned.id, own.id);
    }
    const known = { endpoints: this.#endpoints, before, spent, values: { ...values, ...own } };
    return { ...shapeOf(answer), facts: caseFacts(planned, answer, known) };
  }

  /** What was to be refused and was accepted may have cost something. */
  async #bookAccepted({ operation, case: words, risk = 0 }: PlannedCase, answer: ReceivedAnswer): Promise<void> {
    const lost = await this.#budget.bookAccepted(answer, risk);
    if (lost.credits > 0) this.#loss ??= { operation, case: words, ...lost };
  }

  /** In credits; undefined for what is free. */
  #priceOf(planned: PlannedCase): number | undefined {
    return planned.price === undefined ? undefined : priceOf(planned, this.#models);
  }

  async #answer(planned: PlannedCase, values: RequestValues): Promise<ReceivedAnswer> {
    try {
      const answer = await this.#sender.send(planned.request, values);
      this.#silent = 0;
      return answer;
    } catch (error) {
      const isLost = !(error instanceof NotMeasured) || !error.isAnswered;
      if (isLost) this.#silent += 1;
      // What was not answered may have been charged.
      const price = this.#priceOf(planned);
      if (price !== undefined) await this.#budget.bookLost(price);
      throw error;
    }
  }

  #learn({ id, makes }: PlannedCase, json: unknown, own: RequestValues): void {
    const { data } = Object(json);
    const credits = balanceIn(Object(json).credits);
    if (id === 'listModels read' && Array.isArray(data)) this.#models = data.filter(isPublished);
    if (makes === 'webhook') this.#endpoints.push(own.id ?? '');
    if (id === 'getAccount read' && credits !== undefined) this.#budget.open(credits);
  }

  /** Polls a job to its end, other groups meanwhile; the shape of the last answer, with the states on the way. */
  async #polled(planned: PlannedCase, values: RequestValues): Promise<AnswerShape> {
    const { clock } = this.#target;
    const states = [values.status ?? ''];
    const until = clock.real() + LONGEST_JOB;
    for (let paces = 1; ; paces += 1) {
      const shape = await this.#asked(planned, values);
      const status = this.#values.get(planned.id)?.status ?? '';
      if (status !== states.at(-1)) states.push(status);
      if (shape.status >= 300 || isFinalState(status)) {
        const refund = hasFailed(status) ? await this.#budget.refundFact(Number(values.charged)) : [];
        return { ...shape, facts: [...shape.facts, ...refund, statesFact(states)] };
      }
      if (clock.real() >= until) throw new NotMeasured('not final within 5 minutes');
      if (!(await this.#nextGroup())) await this.#waitFor(values, Math.min(paces, MOST_PACES));
    }
  }

  /** Waits before a job is polled again; so many paces where nothing says when it is final. */
  async #waitFor({ id }: RequestValues, paces: number): Promise<void> {
    const { clock, paceMs, signal } = this.#target;
    const { untilFinal } = this.#order;
    if (untilFinal && id !== undefined) await untilFinal(id);
    else await waited(clock, Math.max(paceMs * paces, SHORTEST_POLL), signal);
  }
}

/** The states of a job in their order. */
function statesFact(states: readonly string[]): Fact {
  const others = new OtherWords();
  const is = states.flatMap((state) => (state === '' ? [] : [others.word(state)])).join(' > ');
  return { what: 'states', path: 'status', is };
}

/** What later cases ask for: texts and numbers, as nothing else is part of a request. */
function valuesOf(json: unknown): RequestValues {
  const { data, ...body } = Object(json);
  const first = Array.isArray(data) && body.id === undefined ? Object(data[0]) : body;
  const { id, url, result_url: result = url, status, duration } = first;
  const values = Object.entries({ id, url: result, status, duration }).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [],
  );
  const outcome = hasFailed(typeof status === 'string' ? status : '') ? 'failed' : 'succeeded';
  return { ...Object.fromEntries(values), outcome };
}

function isPublished(model: unknown): model is PublishedPrice {
  const { id, pricing } = Object(model);
  return typeof id === 'string' && typeof pricing === 'string';
}

type Kind = NonNullable<PlannedCase['makes']>;

const LISTS = {
  webhook: { path: '/v1/webhooks', field: 'webhooks', words: 'endpoint' },
  object: { path: '/v1/storage/objects', field: 'data', words: 'stored object' },
} as const;

/** How long it may take, in milliseconds. */
const LONGEST = 60_000;
/** How often what is there is deleted. */
const ROUNDS = 3;

/** Deletes what a measurement has made, also what it never heard of, and looks whether it is gone. */
class CleanUp {
  readonly #sender: Sender;
  readonly #clock: Target['clock'];
  readonly #name: string;
  readonly #limit = new AbortController();
  readonly #made = new Map<Kind, Set<string>>();

  /** `name`: what the names of all that was made begin with. */
  constructor(target: Target, name: string) {
    // It goes on where the measurement was ended.
    this.#sender = new Sender({ ...target, signal: this.#limit.signal });
    this.#clock = target.clock;
    this.#name = name;
  }

  get sent(): number {
    return this.#sender.sent;
  }

  /** One is about to be made, whose answer may be lost, or was made. */
  expect(kind: Kind, id?: string): void {
    const ids = this.#made.get(kind) ?? new Set();
    this.#made.set(kind, id === undefined ? ids : ids.add(id));
  }

  /** A sentence for each kind of which something is left, or may be. */
  async run(): Promise<string[]> {
    const notes: string[] = [];
    // From here on: a measurement may itself have taken longer.
    const inTime = this.#clock.after(LONGEST, () => this.#limit.abort());
    for (const [kind, ids] of this.#made) {
      const note = await this.#remove(kind, ids);
      if (note !== undefined) notes.push(note);
    }
    inTime();
    return notes;
  }

  async #remove(kind: Kind, ids: ReadonlySet<string>): Promise<string | undefined> {
    const { path, words } = LISTS[kind];
    let left = await this.#listed(kind, ids);
    // What an unanswered request makes may come to be only after the first look.
    for (let round = 0; round < ROUNDS && left?.length !== 0; round += 1) {
      for (const id of [...(left ?? ids)].filter(isId)) await this.#ask('DELETE', `${path}/${id}`);
      left = await this.#listed(kind, ids);
    }
    if (left === undefined)
      return `Whether each ${words} named ${this.#name} is deleted could not be read: look there.`;
    return left.length === 0
      ? undefined
      : `${left.length} of its own are left: delete each ${words} named ${this.#name}.`;
  }

  /** Ids of what is there of its own; undefined where the list cannot be read. */
  async #listed(kind: Kind, ids: ReadonlySet<string>): Promise<string[] | undefined> {
    const { path, field } = LISTS[kind];
    const answer = await this.#ask('GET', path);
    const list: unknown = Object(answer?.json)[field];
    if (answer?.status !== 200 || !Array.isArray(list)) return undefined;
    return list.flatMap((each) => {
      const { id, url } = Object(each);
      if (typeof id !== 'string') return [];
      return ids.has(id) || (typeof url === 'string' && url.includes(this.#name)) ? [id] : [];
    });
  }

  async #ask(method: string, path: string): Promise<ReceivedAnswer | undefined> {
    return this.#sender.sendIfMeasured({ method, path }).catch((error) => {
      if (!this.#limit.signal.aborted) throw error;
      return undefined;
    });
  }
}
