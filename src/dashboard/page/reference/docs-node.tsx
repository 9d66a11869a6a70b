import { createElement, Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { Code } from '../pieces/ids.tsx';

/** What `/docs/index.json` holds: the sections of the documentation, in their order. */
export interface DocsSection {
  title: string;
  pages: DocsEntry[];
}

export interface DocsEntry {
  name: string;
  title: string;
  headings: { id: string; text: string }[];
}

/** A page as the build has read it: a text, or an element with its attributes and what is inside. */
export type DocsNode = string | [tag: string, attributes: DocsAttributes | null, ...DocsNode[]];

interface DocsAttributes {
  id?: string;
  href?: string;
  /** Of samples and tables: which one of its page it is. */
  n?: number;
  lang?: string;
}

/** Below the heading of the page itself. */
const HEADINGS: Record<string, string> = { h1: 'h2', h2: 'h3', h3: 'h4', h4: 'h5' };
const PLAIN = new Set([
  ...['p', 'ul', 'ol', 'li', 'thead', 'tbody', 'tr', 'th', 'td', 'strong', 'em', 'code'],
  ...['blockquote'],
]);
const EMPTY = new Set(['br', 'hr']);

/** The address of the samples, which here is that of this very emulator. */
const SAMPLE_HOST = /\b(?:127\.0\.0\.1|localhost):4600\b/g;

interface Part {
  attributes: DocsAttributes;
  inside: readonly DocsNode[];
}

/** Nodes of a page as elements; no tag is drawn that is not known here. */
export function drawNodes(nodes: readonly DocsNode[]): ReactNode {
  return createElement(Fragment, null, ...nodes.map(drawNode));
}

function drawNode(node: DocsNode): ReactNode {
  if (typeof node === 'string') return node;
  const [tag, attributes, ...inside] = node;
  const heading = HEADINGS[tag];
  const part = { attributes: attributes ?? {}, inside };
  if (heading) return <Heading tag={heading} part={part} />;
  const Special = SPECIAL[tag];
  if (Special) return <Special {...part} />;
  if (EMPTY.has(tag)) return createElement(tag);
  return PLAIN.has(tag) ? createElement(tag, null, drawNodes(inside)) : drawNodes(inside);
}

const SPECIAL: Record<string, (part: Part) => ReactNode> = {
  a: Anchor,
  pre: Sample,
  table: Table,
};

function Heading({ tag, part }: { tag: string; part: Part }) {
  const { id } = part.attributes;
  return createElement(
    tag,
    { id },
    drawNodes(part.inside),
    <a className="docs-anchor" href={`#${id}`} aria-label="Link to this heading">
      #
    </a>,
  );
}

function Anchor({ attributes: { href = '' }, inside }: Part) {
  if (href.startsWith('/')) return <Link href={href}>{drawNodes(inside)}</Link>;
  if (href.startsWith('#')) return <a href={href}>{drawNodes(inside)}</a>;
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {drawNodes(inside)}
    </a>
  );
}

function Sample({ attributes: { n, lang = '' }, inside }: Part) {
  const text = String(inside[0] ?? '').replaceAll(SAMPLE_HOST, window.location.host);
  return <Code text={text} label={`Sample ${n}`} json={lang === 'json'} />;
}

function Table({ attributes: { n }, inside }: Part) {
  return (
    <div className="docs-table framed" role="region" aria-label={`Table ${n}`} tabIndex={0}>
      <table>{drawNodes(inside)}</table>
    </div>
  );
}
