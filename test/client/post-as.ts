/** Sends a request to the service with the key of an account, and returns the raw response. */
export function postAs(
  { apiKey }: { apiKey: string },
  { baseUrl }: { baseUrl: string },
  path: string,
  body: object,
): Promise<Response> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  return fetch(baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
}
