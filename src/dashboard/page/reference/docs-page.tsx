import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ask } from '../data/call-api.ts';
import { ErrorNotice, PageHead } from '../pieces/page-parts.tsx';
import { SearchBox } from '../pieces/search-box.tsx';
import { useOpened } from '../pieces/use-address.ts';
import { type DocsEntry, type DocsNode, type DocsSection, drawNodes } from './docs-node.tsx';
import './docs.css';
import { Link } from 'wouter';
import { at } from '../data/paths.ts';

const FIRST = 'README';

/** The documentation, as it was when this emulator was built. */
export default function DocsPage() {
  const { id: name = FIRST } = useOpened('docs');
  const [text, setText] = useState('');
  const { data: sections = [] } = useDocs<DocsSection[]>('index');
  return (
    <>
      <PageHead title="Docs">
        <SearchBox label="Search the docs" value={text} onChange={setText} />
        <span className="grow" />
        <a className="button docs-markdown" href={`/docs/${name}.md`}>
          Markdown
        </a>
      </PageHead>
      <div className="docs split fill" data-searching={text === '' ? undefined : ''}>
        <DocsList sections={sections} text={text} opened={name} onOpen={() => setText('')} />
        <Article key={name} name={name} />
      </div>
    </>
  );
}

function Article({ name }: { name: string }) {
  const { data, error } = useDocs<DocsNode[]>(name);
  useEffect(() => {
    if (!data) return;
    const id = decodeURIComponent(window.location.hash.slice(1));
    if (id !== '') document.getElementById(id)?.scrollIntoView();
  }, [data]);
  return (
    <section className="docs-article grow scrolls" aria-label="Page" tabIndex={0}>
      <ErrorNotice error={error} />
      <div className="docs-text">{data && drawNodes(data)}</div>
    </section>
  );
}

/** A file that the build has made of the documentation. */
function useDocs<T>(name: string) {
  return useQuery({
    queryKey: ['docs', name],
    queryFn: async (): Promise<T> => {
      const response = await ask(`/docs/${encodeURIComponent(name)}.json`, { method: 'GET' });
      if (!response.ok) throw new Error(`There is no page "${name}" in this version's docs.`);
      return (await response.json()) as T;
    },
  });
}

interface DocsListProps {
  sections: readonly DocsSection[];
  /** What is searched for; empty: all pages, without their headings. */
  text: string;
  /** The page that is open. */
  opened: string;
  onOpen: () => void;
}

interface Found {
  href: string;
  title: string;
  note?: string;
}

/** All pages; while something is searched for, the headings of which it is a part. */
function DocsList({ sections, text, opened, onOpen }: DocsListProps) {
  if (text !== '') return <Results found={search(sections, text)} onOpen={onOpen} />;
  return (
    <nav className="side-list fixed scrolls" aria-label="Docs">
      {sections.map(({ title, pages }) => (
        <div key={title}>
          <h2>{title}</h2>
          <ul>
            {pages.map((page) => (
              <li key={page.name}>
                <Link href={at.docs(page.name)} aria-current={page.name === opened ? 'page' : undefined}>
                  {page.title}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function Results({ found, onOpen }: { found: readonly Found[]; onOpen: () => void }) {
  return (
    <nav className="side-list fixed scrolls" aria-label="Found in the docs">
      {found.length === 0 && <p className="soft">No heading is like this.</p>}
      <ul>
        {found.map(({ href, title, note }) => (
          <li key={href}>
            <Link href={href} onClick={onOpen}>
              {title}
              {note && <span className="soft small"> {note}</span>}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function search(sections: readonly DocsSection[], text: string): Found[] {
  const wanted = text.toLowerCase();
  const fits = (title: string) => title.toLowerCase().includes(wanted);
  return sections.flatMap(({ pages }) => pages.flatMap((page) => searchPage(page, fits)));
}

function searchPage({ name, title, headings }: DocsEntry, fits: (text: string) => boolean) {
  const page: Found[] = fits(title) ? [{ href: at.docs(name), title }] : [];
  const inside = headings
    .filter(({ text }) => fits(text))
    .map(({ id, text }) => ({ href: `${at.docs(name)}#${id}`, title: text, note: title }));
  return [...page, ...inside];
}
