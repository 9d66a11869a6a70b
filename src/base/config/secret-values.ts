/** Variables whose values are secret, by a part or a word of their names. */
const SECRET_NAME =
  /KEY|TOKEN|SECRET|PASSW|PASSPHRASE|PASSCODE|CREDENTIAL|PRIVATE|CONN(?:ECTION)?_?STR|PASS(?:$|_)|.PWD(?:$|_)|JWT|BEARER|WEBHOOK_?URL|(?:^|_)(?:PAT|O?AUTH|DSN|CREDS?|COOKIE|SALT)(?:$|_)/i;
/** Where a shell keeps its folders. */
const FOLDERS = new Set(['PWD', 'OLDPWD']);
/** `user:password` of a URL in any variable; of a user without a password, one that may be a token. */
const USER = /:\/\/([^\s/?#"'<>]{1,512})@/g;
const SHORTEST_USER = 16;
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
  const given = Object.entries(env).flatMap(([name, value]) => (value ? [{ name, value }] : []));
  const named = given.filter(({ name }) => SECRET_NAME.test(name) && !FOLDERS.has(name));
  const beside = named.filter(({ value }) => !isTelling(value)).flatMap(besideName);
  const users = given.flatMap(({ value }) => usersOf(value));
  return [...new Set([...tellingTexts([...named.map(({ value }) => value), ...users]), ...beside])];
}

function usersOf(value: string): string[] {
  return [...value.matchAll(USER)].flatMap(([, user = '']) => {
    const [, password = ''] = /:(.*)/s.exec(user) ?? [];
    return password === '' && user.length < SHORTEST_USER ? [] : [user, password];
  });
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
