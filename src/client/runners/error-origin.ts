const THROWN = 'Thrown: ';

export function markThrownByApp(error: string): string {
  return THROWN + error;
}

export function withoutThrownMark(error: string): string {
  return error.startsWith(THROWN) ? error.slice(THROWN.length) : error;
}
