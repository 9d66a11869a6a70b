import { ConfigError } from './config-error.ts';

/** The service itself, as a suite is pointed to it. */
export interface RealTarget {
  /** Without /v1 and without a slash at its end. */
  url: string;
  key: string;
}

/**
 * What `SVC_TARGET=real` with `SVC_BASE_URL` and `SVC_API_KEY` names; undefined where tests are for an emulator. Throws
 * `ConfigError` for another target, and for a variable that is missing.
 */
export function realTarget(env: NodeJS.ProcessEnv = process.env): RealTarget | undefined {
  const { SVC_TARGET, SVC_BASE_URL = '', SVC_API_KEY: key = '' } = env;
  if (!SVC_TARGET || SVC_TARGET === 'emulator') return undefined;
  if (SVC_TARGET !== 'real') {
    throw new ConfigError(`SVC_TARGET is ${SVC_TARGET.slice(0, 80)}; expected real or emulator.`);
  }
  if (!URL.canParse(SVC_BASE_URL))
    throw missing('SVC_BASE_URL', 'the address of the service, such as https://api.example.com');
  if (key === '') throw missing('SVC_API_KEY', 'a key of the service');
  return { url: SVC_BASE_URL.replace(/(?:\/v1)?\/?$/, ''), key };
}

function missing(name: string, what: string): ConfigError {
  return new ConfigError(`SVC_TARGET is real, and the environment lacks ${name}; set it to ${what}.`);
}
