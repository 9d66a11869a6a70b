import type { Drawn } from '../orders/drawn.ts';
import { xmlText } from '../report-card/xml-text.ts';

/** A tree as HTML: what users wrote stands in it as text. */
export function printTree(tree: Drawn): string {
  if (typeof tree === 'string') return xmlText(tree);
  const [tag, attributes, ...inside] = tree;
  const given = Object.entries(attributes ?? {}).filter(([, value]) => value !== undefined);
  const own = given.map(([name, value]) => ` ${name === 'className' ? 'class' : name}="${xmlText(valueText(value))}"`);
  return tag === 'lane-icon' ? '' : `<${tag}${own.join('')}>${inside.map(printTree).join('')}</${tag}>`;
}

function valueText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, part]) => `${name}:${part}`)
    .join(';');
}
