const LONGEST = 100;
const NAMELESS = 'file';

/**
 * The name of an object in its URL: letters, digits, dots, dashes and underscores of the last path
 * segment, at most 100 of them; accents are dropped. Never empty, and never hidden: what would begin with a dot is
 * `file` with that as its ending [R025 R177 I045 I214].
 */
export function sanitizeName(name: string): string {
  const segment = name.split(/[/\\]/).findLast((part) => part !== '') ?? '';
  const safe = segment.normalize('NFKD').replace(/[^A-Za-z0-9._-]/g, '');
  if (/^\.*$/.test(safe)) return NAMELESS;
  return shortened(safe.replace(/^\.+/, `${NAMELESS}.`));
}

/** Keeps the extension of a name that is too long. */
function shortened(name: string): string {
  if (name.length <= LONGEST) return name;
  const extension = /\.[A-Za-z0-9]{1,8}$/.exec(name)?.[0] ?? '';
  return name.slice(0, LONGEST - extension.length) + extension;
}
