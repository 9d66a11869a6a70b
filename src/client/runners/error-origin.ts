const THROWN = 'Thrown: ';

export function markThrownByApp(error: string): string {
  return THROWN + error;
}

export function withoutThrownMark(error: string): string {
  return error.startsWith(THROWN) ? error.slice(THROWN.length) : error;
}

/** Matches the names of errors that JavaScript itself throws. */
export const BUILT_IN_ERROR_NAME = /^(?:Type|Reference|Range|Syntax)Error$/;
export const STACK_FRAME = /([\w.[\]-]{1,200}\.[cm]?[jt]sx?):\d/;

/** The file that threw an error, as a line below its message, so that errors of a test and of an app can be told apart. */
export function originLine(stack: unknown): string {
  const [, file] = STACK_FRAME.exec(String(stack)) ?? [];
  return file === undefined ? '' : `\nat ${file}`;
}
