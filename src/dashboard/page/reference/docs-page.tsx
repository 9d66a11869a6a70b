import { createElement, type ElementType, type ReactNode, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { ErrorNotice, PageHeader, useSetOpenRecordTitle } from '../components/page-parts.tsx';
import { SearchBox } from '../components/search-box.tsx';
import { CodeBlock } from '../components/values.tsx';
import { useOpenRecord } from '../data/addresses.ts';
import { useJsonFile } from '../data/queries.ts';
import './docs.css';
import { areaPathBuilders } from '../data/areas.ts';

const FIRST = 'README';

export default function DocsPage() {
  const { id: name = FIRST } = useOpenRecord('docs');
  const [text, setText] = useState('');
  return (
    <>
      <PageHeader title="Docs">
        <SearchBox label="Search the docs" value={text} onChange={setText} />
        <span className="grow" />
        <a className="button docs-markdown" href={`/docs/${name}.md`}>
          Markdown
        </a>
      </PageHeader>
      <div className="docs row stretch fill" data-searching={text === '' ? undefined : ''}>
        <DocsList text={text} opened={name} onOpen={() => setText('')} />
        <Article key={name} name={name} />
      </div>
    </>
  );
}

function Article({ name }: { name: string }) {
  const { data, error } = useJsonFile<Drawn[]>(`/docs/${encodeURIComponent(name)}.json`, `page "${name}"`);
  useSetOpenRecordTitle(data && textOf(data[0] ?? ''));
  useEffect(() => {
    if (!data) return;
    const id = decodeURIComponent(window.location.hash.slice(1));
    if (id !== '') document.getElementById(id)?.scrollIntoView();
  }, [data]);
  return (
    <section className="docs-article grow scrolls" aria-label="Page" tabIndex={0}>
      <ErrorNotice error={error} />
      {data && drawTree(['div', { className: 'docs-text' }, ...data], PARTS)}
    </section>
  );
}

type Drawn = string | readonly [tag: string, attributes: Record<string, unknown> | null, ...inside: Drawn[]];

function drawTree(tree: Drawn, own: Readonly<Record<string, ElementType>>): ReactNode {
  if (typeof tree === 'string') return tree;
  const [tag, attributes, ...inside] = tree;
  return createElement(own[tag] ?? tag, attributes, ...inside.map((each) => drawTree(each, own)));
}

function textOf(tree: Drawn): string {
  if (typeof tree === 'string') return tree;
  const [, , ...inside] = tree;
  return inside.map(textOf).join('');
}

function Words({ title }: { title: readonly Drawn[] }) {
  return drawTree(['span', null, ...title], {});
}

const SAMPLE_HOST = /\b(?:127\.0\.0\.1|localhost):4600\b/g;

const PARTS = {
  h1: headingAs('h2'),
  h2: headingAs('h3'),
  h3: headingAs('h4'),
  h4: headingAs('h5'),
  a: DocsLink,
  pre: Sample,
  table: Table,
};

function headingAs(Tag: 'h2' | 'h3' | 'h4' | 'h5') {
  return ({ id, children }: { id: string; children: ReactNode }) => (
    <Tag id={id}>
      {children}
      <a className="docs-anchor" href={`#${id}`} aria-label="Link to this heading">
        #
      </a>
    </Tag>
  );
}

function DocsLink({ href = '', children }: { href?: string; children: ReactNode }) {
  if (href.startsWith('/')) return <Link href={href}>{children}</Link>;
  const elsewhere = href.startsWith('#') ? {} : { target: '_blank', rel: 'noreferrer' };
  return (
    <a href={href} {...elsewhere}>
      {children}
    </a>
  );
}

function Sample({ n, lang, children }: { n: number; lang: string; children?: string }) {
  const text = (children ?? '').replaceAll(SAMPLE_HOST, window.location.host);
  return <CodeBlock text={text} label={`Sample ${n}`} json={lang === 'json'} />;
}

function Table({ n, children }: { n: number; children: ReactNode }) {
  return (
    <div className="docs-table framed" role="region" aria-label={`Table ${n}`} tabIndex={0}>
      <table>{children}</table>
    </div>
  );
}

interface DocsSection {
  title: string;
  pages: { name: string; title: Drawn[]; headings: { id: string; title: Drawn[] }[] }[];
}

function DocsList({ text, opened, onOpen }: { text: string; opened: string; onOpen: () => void }) {
  const { data: sections = [] } = useJsonFile<DocsSection[]>('/docs/index.json', 'list of pages');
  const isSearch = text !== '';
  const links = sections.flatMap(linksOf);
  const shown = links.filter(({ title, within }) => (isSearch ? contains(title, text) : !within));
  return (
    <nav className="side-list fixed scrolls" aria-label={isSearch ? 'Search results in the docs' : 'Docs'}>
      {isSearch && shown.length === 0 && <p className="soft">No matching headings.</p>}
      {[...Map.groupBy(shown, ({ section }) => (isSearch ? '' : section))].map(([section, own]) => (
        <div key={section}>
          {section && <h2>{section}</h2>}
          <ul>
            {own.map(({ href, title, within }) => (
              <li key={href}>
                <Link
                  href={href}
                  onClick={onOpen}
                  aria-current={href === areaPathBuilders.docs(opened) ? 'page' : undefined}
                >
                  <Words title={title} />
                  {within && (
                    <span className="soft small">
                      {' '}
                      <Words title={within} />
                    </span>
                  )}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

/** The pages of a section, and their headings, which are `within` a page. */
function linksOf({ title: section, pages }: DocsSection) {
  return pages.flatMap(({ name, title: within, headings }) => {
    const href = areaPathBuilders.docs(name);
    const inside = headings.map(({ id, title }) => ({ section, href: `${href}#${id}`, title, within }));
    return [{ section, href, title: within, within: undefined }, ...inside];
  });
}

function contains(title: readonly Drawn[], text: string): boolean {
  return title.map(textOf).join('').toLowerCase().includes(text.toLowerCase());
}
