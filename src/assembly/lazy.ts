/** What is made when it is first wanted, once. */
export class Lazy<T> {
  readonly #make: () => Promise<T>;
  #making: Promise<T> | undefined;
  #isThere = false;
  #value: T | undefined;

  constructor(make: () => Promise<T>) {
    this.#make = make;
  }

  get isThere(): boolean {
    return this.#isThere;
  }

  get value(): T | undefined {
    return this.#value;
  }

  /** One that failed is tried again by the next who wants it. */
  load(): Promise<T> {
    this.#making ??= this.#make().then(
      (value) => {
        this.#isThere = true;
        this.#value = value;
        return value;
      },
      (error: unknown) => {
        this.#making = undefined;
        throw error;
      },
    );
    return this.#making;
  }
}
