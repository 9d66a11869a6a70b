interface Started {
  name: string;
  isOpen: boolean;
  failure: string | undefined;
  /** Wrong use. A test that passes has caught the error. */
  isThrown: boolean;
  ended: Promise<void>;
}

/** Assertions that were started. They call the emulator, so a test that does not await one would end first and pass. */
export class StartedAssertions {
  readonly #started: Started[] = [];

  /** Returns the promise unchanged. `failureOf` names the problem of a result. */
  note<T>(
    name: string,
    running: Promise<T>,
    failureOf: (result: T) => string | undefined = () => undefined,
  ): Promise<T> {
    const started: Started = { name, isOpen: true, failure: undefined, isThrown: false, ended: Promise.resolve() };
    const end = (failure: string | undefined, isThrown = false) => {
      Object.assign(started, { isOpen: false, failure, isThrown });
    };
    started.ended = running.then(
      (result) => end(failureOf(result)),
      (error: Error) => end(error.message, error instanceof TypeError),
    );
    this.#started.push(started);
    return running;
  }

  /**
   * Waits for all assertions after a test that passed. Returns the reason if one was not awaited, or failed and was
   * not repeated with success.
   */
  async forgotten(): Promise<string | undefined> {
    const open = this.#started.filter(({ isOpen }) => isOpen);
    await Promise.all(open.map(({ ended }) => ended));
    const last = new Map(this.#started.map((each) => [each.name, each]));
    const judged = [...last.values()].filter(({ isThrown }) => !isThrown);
    const failed = [...open, ...judged].find(({ failure }) => failure !== undefined);
    const name = (failed ?? open[0])?.name;
    if (name === undefined) return undefined;
    const found = failed ? ` It failed: ${failed.failure}` : '';
    return `${name} was not awaited. Put await in front of it.${found}`;
  }
}
