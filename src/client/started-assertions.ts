interface Started {
  name: string;
  isOpen: boolean;
  failure: string | undefined;
  /** It was used wrongly: a test that passes has caught that. */
  isThrown: boolean;
  ended: Promise<void>;
}

/**
 * The assertions on an account that were started. They ask the emulator, so a test that forgets to await one would end
 * before it, whatever it finds.
 */
export class StartedAssertions {
  readonly #started: Started[] = [];

  /** Notes an assertion, and returns its promise as it is. `failureOf` names what is wrong with a result. */
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
   * Waits for all of them at the end of a test that passed. Returns why it fails all the same: an assertion that was still
   * under way, or one that failed and was not tried again with another result. Undefined if there is none.
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
