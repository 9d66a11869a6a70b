import { asOneLine, closestName } from '../text.ts';
import { environmentVariableOf, isContainerLinkUrl, optionNames } from './config.ts';

/** Variables with the prefix `SVC_EMULATOR_` that only the Python client reads. */
const OTHERS: readonly string[] = ['SVC_EMULATOR_COMMAND'];
const PREFIX = 'SVC_EMULATOR_';
/** Matches variables that Kubernetes and Docker links set for services whose names begin with `svc-emulator`. */
const INJECTED =
  /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?$|^SVC_EMULATOR_(?:\w+_)?(?:NAME$|ENV_)/;
const MAX_NAMED = 5;

export function unusedVariableWarnings(env: NodeJS.ProcessEnv = process.env): string[] {
  const known = [...optionNames().map(environmentVariableOf), ...OTHERS];
  const isUnknown = ([name, value]: [string, string | undefined]) =>
    name.startsWith(PREFIX) && !known.includes(name) && !INJECTED.test(name) && !isContainerLinkUrl(value);
  const unknown = Object.entries(env).filter(isUnknown);
  const port = environmentVariableOf('port');
  return [
    ...addressLine(port, env[port]),
    ...unknownLine(
      unknown.map(([name]) => name),
      known,
    ),
  ];
}

function addressLine(port: string, value: string | undefined): string[] {
  if (!isContainerLinkUrl(value)) return [];
  return [`${port}=${shown(value ?? '')} is ignored: it is the address of a service, which Kubernetes or Docker set.`];
}

function unknownLine(names: readonly string[], known: readonly string[]): string[] {
  if (names.length === 0) return [];
  const left = names.length - MAX_NAMED;
  const named = [...names.slice(0, MAX_NAMED).map(shown), ...(left > 0 ? [`and ${left} more`] : [])].join(', ');
  const what = names.length === 1 ? `variable ${named} has no effect.` : `variables have no effect: ${named}.`;
  const suffixes = known.map((name) => name.slice(PREFIX.length));
  const meant = names.flatMap((name) => closestName(name.slice(PREFIX.length), suffixes) ?? []);
  const question = meant.length === 0 ? '' : ` Did you mean ${meant.map((suffix) => PREFIX + suffix).join(', ')}?`;
  return [`Unknown environment ${what}${question}`];
}

function shown(text: string): string {
  return asOneLine(text).slice(0, 80);
}
