import { expect, it } from 'vitest';
import { readConfig } from '../../../src/base/config/config.ts';
import { unusedVariableWarnings } from '../../../src/base/config/environment.ts';

/** The variables of a Kubernetes service with two ports, and of a Docker link. */
function injected(service: string): Record<string, string> {
  return {
    [`${service}_SERVICE_HOST`]: '10.0.0.1',
    [`${service}_SERVICE_PORT`]: '4600',
    [`${service}_SERVICE_PORT_HTTP`]: '4600',
    [`${service}_SERVICE_PORT_HTTP_ADMIN`]: '4601',
    [`${service}_PORT_4600_TCP`]: 'tcp://10.0.0.1:4600',
    [`${service}_PORT_4600_TCP_ADDR`]: '10.0.0.1',
    [`${service}_PORT_4600_TCP_PORT`]: '4600',
    [`${service}_PORT_4600_TCP_PROTO`]: 'tcp',
    [`${service}_PORT_4600_TCP_PORT_START`]: '4600',
    [`${service}_PORT_53_UDP`]: 'udp://10.0.0.1:53',
    [`${service}_PORT_53_UDP_ADDR`]: '10.0.0.1',
    [`${service}_PORT_36412_SCTP_PROTO`]: 'sctp',
    [`${service}_NAME`]: '/web/svc-emulator',
    [`${service}_ENV_NODE_ENV`]: 'production',
    [`${service}_ENV_npm_config.cache`]: '/tmp',
  };
}

it.each(['SVC_EMULATOR', 'SVC_EMULATOR_1', 'SVC_EMULATOR_STAGING'])(
  'prints nothing about the variables that Kubernetes and Docker links set for %s',
  (service) => {
    expect(unusedVariableWarnings(injected(service))).toEqual([]);
  },
);

it('does not warn about variables such as SVC_EMULATOR_UI_PORT, which Kubernetes sets for other services', () => {
  expect(
    unusedVariableWarnings({ SVC_EMULATOR_UI_PORT: 'tcp://10.0.0.2:80', SVC_EMULATOR_DNS_PORT: 'udp://10.0.0.2:53' }),
  ).toEqual([]);
});

it('prints nothing about known variables and variables of other programs', () => {
  const env = { SVC_EMULATOR_COMMAND: 'npx svc-emulator', SVC_EMULATOR_PORT: '4601', SVC_BASE_URL: 'x', PATH: 'x' };
  expect(unusedVariableWarnings(env)).toEqual([]);
});

it('ignores the address of a service in SVC_EMULATOR_PORT, and says so', () => {
  expect(unusedVariableWarnings({ SVC_EMULATOR_PORT: 'tcp://10.0.0.1:4600' })).toEqual([
    'SVC_EMULATOR_PORT=tcp://10.0.0.1:4600 is ignored: it is the address of a service, which Kubernetes or Docker set.',
  ]);
  expect(readConfig({}, { SVC_EMULATOR_PORT: 'tcp://10.0.0.1:4600' }).port).toBe(4600);
});

it.each([
  ['SVC_EMULATOR_MAXDISK', 'SVC_EMULATOR_MAX_DISK'],
  ['SVC_EMULATOR_STRICKT', 'SVC_EMULATOR_STRICT'],
  ['SVC_EMULATOR_PROT', 'SVC_EMULATOR_PORT'],
  ['SVC_EMULATOR_CONTROL_TOKN', 'SVC_EMULATOR_CONTROL_TOKEN'],
  ['SVC_EMULATOR_COMAND', 'SVC_EMULATOR_COMMAND'],
])('suggests for the misspelled variable %s the name %s', (given, meant) => {
  expect(unusedVariableWarnings({ [given]: '1' })).toEqual([
    `Unknown environment variable ${given} has no effect. Did you mean ${meant}?`,
  ]);
});

it.each(['VERSION', 'IMAGE', 'TAG', 'URL', 'ENABLED', 'REPLICAS', 'LOG_LEVEL'])(
  'suggests no name for SVC_EMULATOR_%s, which resembles no variable',
  (suffix) => {
    expect(unusedVariableWarnings({ [`SVC_EMULATOR_${suffix}`]: '1' })).toEqual([
      `Unknown environment variable SVC_EMULATOR_${suffix} has no effect.`,
    ]);
  },
);

it('names the first five unknown variables in one line, and suggests names for misspelled ones among all', () => {
  const names = ['A1', 'B2', 'C3', 'D4', 'LINE\nBREAK', 'E5', 'CREDIT', 'STRICTT'];
  expect(unusedVariableWarnings(Object.fromEntries(names.map((name) => [`SVC_EMULATOR_${name}`, '']))).join('|')).toBe(
    'Unknown environment variables have no effect: SVC_EMULATOR_A1, SVC_EMULATOR_B2, SVC_EMULATOR_C3, SVC_EMULATOR_D4, SVC_EMULATOR_LINE BREAK, and 3 more. Did you mean SVC_EMULATOR_CREDITS, SVC_EMULATOR_STRICT?',
  );
});
