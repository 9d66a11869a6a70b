import { isOutcome, keyOf, type Schedule } from './schedule.ts';

/** What a search tries, in its order: what was found before, the plan, and what deviations brought about. */
export class SearchQueue {
  /** The part of the plan that is this machine's. */
  readonly mine: readonly Schedule[];
  readonly #planned: readonly Schedule[];
  readonly #done = new Set<string>();
  #followed: Schedule[] = [];
  #next = 0;
  #run = 0;
  #ranFollowed = 0;

  /** `known`: found in earlier searches. */
  constructor(known: readonly Schedule[], mine: readonly Schedule[]) {
    this.mine = mine;
    this.#planned = [...known, ...mine];
  }

  /** How many were run, and how many of them deviations had brought about. */
  get run(): number {
    return this.#run;
  }

  get ranFollowed(): number {
    return this.#ranFollowed;
  }

  get total(): number {
    return this.#planned.length + this.#followed.length;
  }

  /** How many of the plan were not run. */
  get left(): number {
    return this.mine.filter((schedule) => !this.#done.has(keyOf(schedule))).length;
  }

  follow(schedules: readonly Schedule[]): void {
    this.#followed.push(...schedules);
  }

  /** What may run beside the next one: nothing under an outcome of which the undisturbed run is not known. */
  *ahead(knows: (outcome: Schedule) => boolean): Generator<Schedule> {
    const isReady = (each: Schedule) =>
      !this.#done.has(keyOf(each)) && (each.every(isOutcome) || knows(each.filter(isOutcome)));
    for (const each of this.#followed) if (isReady(each)) yield each;
    for (let at = this.#next; at < this.#planned.length; at += 1) {
      const planned = this.#planned[at];
      if (planned && isReady(planned)) yield planned;
    }
  }

  /** The next one that was not tried yet: `quick` where there is one, else by the plan. */
  next(quick: () => Schedule | undefined): Schedule | undefined {
    for (;;) {
      const schedule = quick() ?? this.#upcoming();
      if (!schedule || this.claim(schedule)) return schedule;
    }
  }

  /** Answers whether it was not claimed before. */
  claim(schedule: Schedule): boolean {
    const key = keyOf(schedule);
    if (this.#done.has(key)) return false;
    this.#done.add(key);
    this.#run += 1;
    return true;
  }

  /** Claims what runs beside the next one. */
  claimBeside(schedules: readonly Schedule[]): void {
    for (const schedule of schedules) this.claim(schedule);
    const taken = new Set(schedules);
    this.#ranFollowed += this.#followed.filter((each) => taken.has(each)).length;
    this.#followed = this.#followed.filter((each) => !taken.has(each));
  }

  disclaim(schedule: Schedule): void {
    if (this.#done.delete(keyOf(schedule))) this.#run -= 1;
  }

  /** What deviations brought about comes after all single deviations. */
  #upcoming(): Schedule | undefined {
    const planned = this.#planned[this.#next];
    const isSingle = planned !== undefined && planned.filter((entry) => !isOutcome(entry)).length < 2;
    // One of each in turn, once every single deviation was tried.
    if (this.#followed.length > 0 && !isSingle && (this.#run % 2 === 0 || !planned)) {
      this.#ranFollowed += 1;
      return this.#followed.shift();
    }
    this.#next += 1;
    return planned;
  }
}
