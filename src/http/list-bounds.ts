import { invalid } from '../errors.ts';
import type { FieldTree } from './field-paths.ts';

/**
 * Throws `invalid_request` for a list that is longer than its schema takes, before any item of it is looked at: a schema
 * judges all of them first [I226].
 */
export function requireListBounds(tree: FieldTree, value: unknown, path = ''): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) requireItems(tree, value, path);
  else if (tree.fields) {
    for (const [name, field] of tree.fields) {
      if (field.fields || field.items) requireListBounds(field, Reflect.get(value, name), `${path}${name}.`);
    }
  }
}

function requireItems({ items, most, takes }: FieldTree, list: readonly unknown[], path: string): void {
  if (most !== undefined && list.length > most) {
    const param = path.slice(0, -1);
    const remedy = takes ? ` It takes: ${takes}` : '';
    throw invalid(param, `${param} must have at most ${most} items; got an array of ${list.length}.${remedy}`);
  }
  if (!items?.fields && !items?.items) return;
  for (const [position, item] of list.entries()) requireListBounds(items, item, `${path}${position}.`);
}
