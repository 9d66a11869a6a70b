/** The error of an answer, if it is one that can be read. */
export function errorOfAnswer(
  answer: string | null,
  status: number,
): { code: string; message: string } | undefined {
  if (answer === null || status < 400) return undefined;
  try {
    return JSON.parse(answer).error;
  } catch {
    return undefined;
  }
}
