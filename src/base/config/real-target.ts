import { ConfigError } from './config-error.ts';

/** The service itself, as a suite is pointed to it. */
export interface RealTarget {
  /** Without /v1 and without a slash at its end. */
  url: string;
  key: string;
  /** What `exec --max-credits` lets a run spend, and the balance before it. */
  limit?: { credits: number; before: number };
}

/**
 * What `SVC_TARGET=real` with `SVC_BASE_URL` and `SVC_API_KEY` names; undefined where tests are for an emulator. Throws
 * `ConfigError` for another target, for a variable that is missing, and for an address that is not https.
 */
export function realTarget(env: NodeJS.ProcessEnv = process.env): RealTarget | undefined {
  const { SVC_TARGET, SVC_BASE_URL = '', SVC_API_KEY: key = '' } = env;
  if (!SVC_TARGET || SVC_TARGET === 'emulator') return undefined;
  if (SVC_TARGET !== 'real') {
    throw new ConfigError(`SVC_TARGET is ${SVC_TARGET.slice(0, 80)}; expected real or emulator.`);
  }
  if (SVC_BASE_URL === '') throw missing('SVC_BASE_URL', 'the address of the service, such as https://api.example.com');
  if (key === '') throw missing('SVC_API_KEY', 'a key of the service');
  return { url: addressOf(SVC_BASE_URL), key, ...limitOf(env) };
}

/** The variables by which `exec` passes its `--max-credits` on to the fixtures. */
export function limitVariables({ credits, before }: NonNullable<RealTarget['limit']>): Record<string, string> {
  return { SVC_MAX_CREDITS: `${credits}`, SVC_CREDITS_BEFORE: `${before}` };
}

function limitOf({ SVC_MAX_CREDITS, SVC_CREDITS_BEFORE }: NodeJS.ProcessEnv): Pick<RealTarget, 'limit'> {
  if (!SVC_MAX_CREDITS || !SVC_CREDITS_BEFORE) return {};
  return { limit: { credits: Number(SVC_MAX_CREDITS), before: Number(SVC_CREDITS_BEFORE) } };
}

function addressOf(text: string): string {
  try {
    return serviceAddress(text);
  } catch (error) {
    throw new ConfigError(`SVC_BASE_URL ${(error as Error).message}.`);
  }
}

function missing(name: string, what: string): ConfigError {
  return new ConfigError(`SVC_TARGET is real, and the environment lacks ${name}; set it to ${what}.`);
}

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

/** The variables by which a command finds the service at an address without /v1, and its key. */
export function serviceVariables({ url, key }: { url: string; key: string }): Record<string, string> {
  return { SVC_BASE_URL: url, SVC_API_KEY: key, OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key };
}
