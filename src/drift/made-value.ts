import { isJson } from '../faults/lies/lie.ts';
import type { OverlayGiven } from '../faults/lies/overlay.ts';
import type { AnswerShape, FieldShape } from './shapes.ts';

type Fields = AnswerShape['fields'];

/** A value of a field's type and form, with all that is inside: what was measured has no values. */
export function madeValue(fields: Fields, path: string, given: OverlayGiven): unknown {
  const field = fields[path];
  const type = field?.types.find((each) => each !== 'null');
  if (!field || type === undefined) return null;
  const inside = path === '' ? '' : `${path}.`;
  if (type === 'array') return fields[`${inside}*`] ? [madeValue(fields, `${inside}*`, given)] : [];
  if (type === 'object') {
    const names = Object.keys(fields).filter((each) => isDirectly(each, inside));
    return Object.fromEntries(names.map((each) => [each.slice(inside.length), madeValue(fields, each, given)]));
  }
  if (type === 'boolean') return field.words?.[0] === 'true';
  return type === 'string' ? madeText(field, given) : madeNumber(field, given);
}

/** Names that could have been somebody's are not known. */
function isDirectly(path: string, inside: string): boolean {
  return path !== '' && path.startsWith(inside) && /^[^.*?]+$/.test(path.slice(inside.length));
}

function madeNumber({ forms = [], words = [] }: FieldShape, { now }: OverlayGiven): number {
  if (forms.includes('unix seconds')) return Math.floor(now / 1000);
  return forms.includes('unix milliseconds') ? now : Number(words[0] ?? 0) || 0;
}

const ZEROS = '0'.repeat(64);

function madeText({ forms = [], words = [] }: FieldShape, { now, baseUrl, path }: OverlayGiven): string {
  const [form = ''] = forms;
  if (words[0] !== undefined) return words[0];
  if (form === 'ISO time') return new Date(now).toISOString();
  if (form.endsWith('URL')) return form === 'data URL' ? 'data:,' : `${baseUrl}/`;
  if (form.startsWith('hex ')) return ZEROS.slice(0, Number(form.slice(4)));
  if (form === 'base64') return ZEROS;
  if (form === 'empty') return '';
  if (!form.startsWith('id ')) return 'text';
  const prefix = form.slice(3);
  const asked = path.split('/').at(-1) ?? '';
  return asked.startsWith(prefix) ? asked : `${prefix}${ZEROS.slice(0, 12)}`;
}

/** A value in another type, where it has one there: of an error its message. */
export function converted(was: unknown, { types }: FieldShape): unknown {
  if (types.includes('string')) {
    if (typeof was === 'number' || typeof was === 'boolean') return String(was);
    const text = isJson(was) ? (isJson(was.error) ? was.error.message : was.message) : undefined;
    if (typeof text === 'string') return text;
  }
  const isNumber = types.includes('integer') || types.includes('number');
  return isNumber && typeof was === 'string' && was !== '' && Number.isFinite(Number(was)) ? Number(was) : undefined;
}

/** How the form of a time is written, of milliseconds. */
export const TIMES: Readonly<Record<string, (milliseconds: number) => unknown>> = {
  'unix seconds': (milliseconds) => Math.floor(milliseconds / 1000),
  'unix milliseconds': (milliseconds) => milliseconds,
  'ISO time': (milliseconds) => new Date(milliseconds).toISOString(),
};
