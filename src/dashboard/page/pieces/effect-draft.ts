import type { EffectField, EffectKind } from '../data/effects.ts';
import type { Draft, FieldSpec } from './form-field.tsx';

/** What belongs to an effect; fields of two kinds may bear one name. */
export function fieldsOfEffect(kind: EffectKind): FieldSpec[] {
  return kind.fields.map((field) => ({ ...field, name: fieldKey(kind, field) }));
}

function fieldKey({ kind }: EffectKind, { name }: EffectField): string {
  return `${kind}.${name}`;
}

/** The effect that a draft is, as the control surface takes it. */
export function effectOf(kind: EffectKind, draft: Draft): object {
  if (kind.shape === 'true') return { [kind.kind]: true };
  const fields = kind.fields.flatMap((field) => {
    const value = given(draft[fieldKey(kind, field)] ?? field.value, field.type);
    return value === undefined ? [] : [[field.name, value] as const];
  });
  const own = Object.fromEntries(fields);
  return kind.shape === 'nested' ? { [kind.kind]: own } : own;
}

function given(text: string | undefined, type: EffectField['type']) {
  if (!text) return undefined;
  if (type === 'number') return Number(text);
  return type === 'switch' ? true : text;
}
