const EXPECTED =
  'an https URL, or http on this machine, without a user, query or fragment, such as https://api.example.com';

/**
 * The base of all paths of a service, without the `/v1` that clients are given and without a slash at its end. Throws an
 * `Error` whose message names the expectation and repeats the origin alone: the rest may hold a password.
 */
export function serviceAddress(text: string): string {
  if (!URL.canParse(text)) throw new Error(`is no URL; expected ${EXPECTED}`);
  const { origin, protocol, hostname, username, password, pathname } = new URL(text);
  const isHere = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
  if (protocol !== 'https:' && !(protocol === 'http:' && isHere)) {
    const shown = /^https?:$/.test(protocol) ? origin : `a URL of ${protocol}`;
    throw new Error(`is ${shown}; expected ${EXPECTED}`);
  }
  const has = [
    ...(username !== '' || password !== '' ? ['a user'] : []),
    ...(text.includes('?') ? ['a query'] : []),
    ...(text.includes('#') ? ['a fragment'] : []),
  ];
  if (has.length > 0) throw new Error(`is ${origin} with ${has.join(' and ')}; leave that out: expected ${EXPECTED}`);
  const steps = pathname.split('/').filter((step) => step !== '');
  if (steps.at(-1) === 'v1') steps.pop();
  return [origin, ...steps].join('/');
}
