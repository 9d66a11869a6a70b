const SECRET_NAME =
  /KEY|TOKEN|SECRET|PASSW|PASSPHRASE|PASSCODE|CREDENTIAL|PRIVATE|CONN(?:ECTION)?_?STR|PASS(?:$|_)|.PWD(?:$|_)|JWT|BEARER|WEBHOOK_?URL|(?:^|_)(?:PAT|O?AUTH|DSN|CREDS?|COOKIE|SALT)(?:$|_)/i;
const FOLDERS = new Set(['PWD', 'OLDPWD']);
/** Finds `user:password` in a URL. A long user without a password may be a token. */
const USER = /:\/\/([^\s/?#"'<>]{1,512})@/g;
const SHORTEST_USER = 16;
/** Shorter values are switches or digits, which occur everywhere. */
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

/** Values that no trace shows. A value such as `true` occurs everywhere, so it is hidden only next to its variable. */
export function secretValues(env: NodeJS.ProcessEnv = process.env): string[] {
  const given = Object.entries(env).flatMap(([name, value]) => (value ? [{ name, value }] : []));
  const named = given.filter(({ name }) => SECRET_NAME.test(name) && !FOLDERS.has(name));
  const assignments = named.filter(({ value }) => !isDistinctive(value)).flatMap(assignmentsOf);
  const users = given.flatMap(({ value }) => usersOf(value));
  return [...new Set([...distinctiveTexts([...named.map(({ value }) => value), ...users]), ...assignments])];
}

function usersOf(value: string): string[] {
  return [...value.matchAll(USER)].flatMap(([, user = '']) => {
    const [, password = ''] = /:(.*)/s.exec(user) ?? [];
    return password === '' && user.length < SHORTEST_USER ? [] : [user, password];
  });
}

/** Each value and each of its lines, without those that occur everywhere. */
export function distinctiveTexts(values: readonly string[]): string[] {
  const lines = values.flatMap((value) => [value, ...value.split(/[\r\n]+/)]).map((value) => value.trim());
  return [...new Set(lines)].filter(isDistinctive);
}

function isDistinctive(value: string): boolean {
  return value.length >= SHORTEST && !HARMLESS.has(value.toLowerCase());
}

function assignmentsOf({ name, value }: { name: string; value: string }): string[] {
  const quoted = [value, `"${value}"`, `'${value}'`];
  return [
    ...quoted.map((each) => `${name}=${each}`),
    ...quoted.map((each) => `${name}: ${each}`),
    `"${name}":"${value}"`,
  ];
}
