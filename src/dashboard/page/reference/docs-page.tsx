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
  const { data: sections = [] } = useJsonFile<DocsSection[]>('/docs/index.json', 'list of pages');
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
        <DocsList sections={sections} text={text} opened={name} onOpen={() => setText('')} />
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

interface DocsListProps {
  sections: readonly DocsSection[];
  text: string;
  opened: string;
  onOpen: () => void;
}

function DocsList({ sections, text, opened, onOpen }: DocsListProps) {
  const all = { title: '', pages: sections.flatMap(({ pages }) => pages) };
  const groups = (text === '' ? sections : [all]).map(({ title, pages }) => ({
    title,
    links: pages.flatMap(linksOf).filter((link) => (text === '' ? !link.within : contains(link.title, text))),
  }));
  return (
    <nav className="side-list fixed scrolls" aria-label={text === '' ? 'Docs' : 'Search results in the docs'}>
      {groups.map(({ title, links }) => (
        <div key={title}>
          {title && <h2>{title}</h2>}
          {links.length === 0 && <p className="soft">No matching headings.</p>}
          <ul>
            {links.map(({ href, title: words, within }) => (
              <li key={href}>
                <Link
                  href={href}
                  onClick={onOpen}
                  aria-current={href === areaPathBuilders.docs(opened) ? 'page' : undefined}
                >
                  <Words title={words} />
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

interface DocsLinkOf {
  href: string;
  title: readonly Drawn[];
  within?: readonly Drawn[];
}

function linksOf({ name, title: within, headings }: DocsSection['pages'][number]): DocsLinkOf[] {
  const href = areaPathBuilders.docs(name);
  return [{ href, title: within }, ...headings.map(({ id, title }) => ({ href: `${href}#${id}`, title, within }))];
}

function contains(title: readonly Drawn[], text: string): boolean {
  return title.map(textOf).join('').toLowerCase().includes(text.toLowerCase());
}
