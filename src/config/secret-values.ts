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

/** The values that no trace shows; of one of several lines each line. */
export function secretValues(env: NodeJS.ProcessEnv = process.env): string[] {
  const values = Object.entries(env).flatMap(([name, value]) => (SECRET_NAME.test(name) && value ? [value] : []));
  const lines = values.flatMap((value) => [value, ...value.split(/[\r\n]+/)]).map((value) => value.trim());
  return [...new Set(lines)].filter((value) => value.length >= SHORTEST && !HARMLESS.has(value.toLowerCase()));
}
