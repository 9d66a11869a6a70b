import { ConfigError } from './config-error.ts';
import { serviceAddress } from './service-address.ts';

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
