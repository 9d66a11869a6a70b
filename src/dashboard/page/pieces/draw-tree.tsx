import { createElement, type ElementType, type ReactNode } from 'react';
import type { Drawn } from '../../../orders/drawn.ts';

/** A tree as elements, with parts of its own for some of its tags. */
export function drawTree(tree: Drawn, own: Readonly<Record<string, ElementType>>): ReactNode {
  if (typeof tree === 'string') return tree;
  const [tag, attributes, ...inside] = tree;
  return createElement(own[tag] ?? tag, attributes, ...inside.map((each) => drawTree(each, own)));
}
