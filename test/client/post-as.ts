/** A call of the service with the key of a client's account, whose answer is taken as it comes. */
export function postAs(
  { apiKey }: { apiKey: string },
  { baseUrl }: { baseUrl: string },
  path: string,
  body: object,
): Promise<Response> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  return fetch(baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
}
