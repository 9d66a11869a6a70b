/** What is secret in requests and answers: API keys and signing secrets. */
const SECRETS = /(svc_sk_|whsec_)[A-Za-z0-9_]{4,}/g;

/** The text with every key and secret cut to its prefix. */
export function redact(text: string): string {
  if (!text.includes('svc_sk_') && !text.includes('whsec_')) return text;
  return text.replace(SECRETS, '$1…');
}

/** Bodies are kept up to this many characters. */
export const BODY_LIMIT = 16_384;

/** A body as the journal keeps it: redacted, and cut with a note where it is long. */
export function keptBody(text: string): string {
  const redacted = redact(text.slice(0, BODY_LIMIT));
  return text.length > BODY_LIMIT
    ? `${redacted}… [cut: ${text.length} characters in all]`
    : redacted;
}
