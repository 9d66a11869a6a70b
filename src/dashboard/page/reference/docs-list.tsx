import { Link } from 'wouter';
import { at } from '../data/paths.ts';
import type { DocsEntry, DocsSection } from './docs-shapes.ts';

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
export function DocsList({ sections, text, opened, onOpen }: DocsListProps) {
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
