/** Undefined for what is no JSON. */
export function parsedJson(text: string | null | undefined): unknown {
  try {
    return text === null || text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
