const THROWN = 'Thrown: ';

/** Marks an error that the app threw, so that `check` can tell it from an assertion. */
export function markThrownByApp(error: string): string {
  return THROWN + error;
}

/** The error without the mark, as the test shows it to a user. */
export function withoutThrownMark(error: string): string {
  return error.startsWith(THROWN) ? error.slice(THROWN.length) : error;
}
