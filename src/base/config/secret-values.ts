const SECRET_NAME =
  /KEY|TOKEN|SECRET|PASSW|PASSCODE|PHRASE|MNEMONIC|CREDENTIAL|PRIVATE|CONN(?:ECTION)?_?STR|CONFIG_?DATA|JWT|BEARER|WEBHOOK(?:$|_?UR[IL])|PASS(?:$|_)|.PWD(?:$|_)|(?:^|_)(?:SK|PAT|PEM|O?AUTH|DSN|CREDS?|COOKIE|SALT)(?:$|_)/i;
const FOLDERS = new Set(['PWD', 'OLDPWD']);
/** Matches the user of a URL, with or without a password. A long user without a password may be a token. */
const USER = /:\/\/([^\s/?#"'<>]{1,512})@/g;
const MIN_USER = 16;
/** The fewest characters of a secret. Shorter values are switches or digits, which occur everywhere. */
const MIN_LENGTH = 3;
const HARMLESS = /^(?:true|false|undefined|null|none|yes|off|default|disabled|enabled)$/i;

export function secretValuesInEnvironment(env: NodeJS.ProcessEnv = process.env): string[] {
  const given = Object.entries(env).flatMap(([name, value]) => (value ? [{ name, value }] : []));
  const named = given.filter(({ name }) => SECRET_NAME.test(name) && !FOLDERS.has(name));
  const users = given.flatMap(({ value }) => usersOf(value));
  return distinctiveTexts([...named.map(({ value }) => value), ...users]);
}

function usersOf(value: string): string[] {
  return [...value.matchAll(USER)].flatMap(([, user = '']) => {
    const [, password = ''] = /:(.*)/s.exec(user) ?? [];
    return password === '' && user.length < MIN_USER ? [] : [user, password];
  });
}

export function distinctiveTexts(values: readonly string[]): string[] {
  const lines = values.flatMap((value) => [value, ...value.split(/[\r\n]+/)]).map((value) => value.trim());
  return [...new Set(lines)].filter(isDistinctive);
}

function isDistinctive(value: string): boolean {
  return value.length >= MIN_LENGTH && !HARMLESS.test(value);
}
