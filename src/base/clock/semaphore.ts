export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  readonly #urgent: (() => void)[] = [];
  #free: number;

  constructor(places: number) {
    this.#free = places;
  }

  async run<T>(work: () => Promise<T>, { isUrgent = false } = {}): Promise<T> {
    const queue = isUrgent ? this.#urgent : this.#waiting;
    if (this.#free === 0) await new Promise<void>((resolve) => queue.push(resolve));
    else this.#free -= 1;
    try {
      return await work();
    } finally {
      const next = this.#urgent.shift() ?? this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
