import { ConfigError } from './config-error.ts';

/** The service itself, as a suite is pointed to it. */
export interface RealTarget {
  /** Without /v1 and without a slash at its end. */
  url: string;
  key: string;
  /** The public address of `SVC_WEBHOOK_URL`, without a slash at its end, and the port of this machine that it leads to. */
  webhook?: { url: string; port: number };
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
  return { url: SVC_BASE_URL.replace(/(?:\/v1)?\/?$/, ''), key, ...webhookOf(env) };
}

/** The hosts by which a URL names this machine. */
const HERE = ['127.0.0.1', 'localhost'];

function webhookOf({ SVC_WEBHOOK_URL: given, SVC_WEBHOOK_PORT }: NodeJS.ProcessEnv): Pick<RealTarget, 'webhook'> {
  if (!given) return {};
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash) {
    throw new ConfigError(
      `SVC_WEBHOOK_URL is ${given.slice(0, 200)}; expected an http or https URL without a query, such as https://hooks.example.com, which leads to SVC_WEBHOOK_PORT of this machine.`,
    );
  }
  const own = HERE.includes(url.hostname) && url.protocol === 'http:' ? url.port || '80' : '';
  const port = Number(SVC_WEBHOOK_PORT || own);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new ConfigError(
      `SVC_WEBHOOK_PORT is ${SVC_WEBHOOK_PORT ? SVC_WEBHOOK_PORT.slice(0, 80) : 'missing'}; set it to the port of this machine, 1 to 65535, that SVC_WEBHOOK_URL (${url.origin}) leads to, such as that of a tunnel.`,
    );
  }
  return { webhook: { url: url.href.replace(/\/$/, ''), port } };
}

function missing(name: string, what: string): ConfigError {
  return new ConfigError(`SVC_TARGET is real, and the environment lacks ${name}; set it to ${what}.`);
}
