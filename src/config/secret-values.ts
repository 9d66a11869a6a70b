/** Variables whose values are nobody's business. */
const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD/i;
/** What is shorter is a switch or a digit: it says nothing, and would be found everywhere. */
const SHORTEST = 3;
const HARMLESS = new Set([
  'true',
  'false',
  'undefined',
  'null',
  'none',
  'yes',
  'off',
  'default',
  'disabled',
  'enabled',
]);

/** The texts that no trace shows: the values of such variables; those that say nothing, beside their names alone. */
export function secretValues(env: NodeJS.ProcessEnv = process.env): string[] {
  const named = Object.entries(env).flatMap(([name, value]) =>
    SECRET_NAME.test(name) && value ? [{ name, value }] : [],
  );
  const beside = named.filter(({ value }) => !isTelling(value)).flatMap(besideName);
  return [...new Set([...tellingTexts(named.map(({ value }) => value)), ...beside])];
}

/** Of each value itself and, where it has several, each of its lines; but for those that would be found everywhere. */
export function tellingTexts(values: readonly string[]): string[] {
  const lines = values.flatMap((value) => [value, ...value.split(/[\r\n]+/)]).map((value) => value.trim());
  return [...new Set(lines)].filter(isTelling);
}

function isTelling(value: string): boolean {
  return value.length >= SHORTEST && !HARMLESS.has(value.toLowerCase());
}

/** As a shell, a log and JSON have it. */
function besideName({ name, value }: { name: string; value: string }): string[] {
  const quoted = [value, `"${value}"`, `'${value}'`];
  return [
    ...quoted.map((each) => `${name}=${each}`),
    ...quoted.map((each) => `${name}: ${each}`),
    `"${name}":"${value}"`,
  ];
}
