import type { ReactNode } from 'react';

/** The line at the top of a page: what it is, and its tools. */
export function PageHead({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <header className="page-head row wrap ruled">
      <h1>{title}</h1>
      {children}
    </header>
  );
}

/** A part of a drawer or page; `tools` stand beside its title. */
export function Section(props: { title: string; tools?: ReactNode; children: ReactNode }) {
  return (
    <section className="section" aria-label={props.title}>
      <div className="section-head row">
        <h3>{props.title}</h3>
        {props.tools}
      </div>
      {props.children}
    </section>
  );
}

/** Names and what they are; a fact that is null or undefined is left out. */
export function Facts({ facts }: { facts: Record<string, ReactNode> }) {
  return (
    <dl className="facts">
      {Object.entries(facts)
        .filter(([, fact]) => fact !== null && fact !== undefined)
        .map(([name, fact]) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd>{fact}</dd>
          </div>
        ))}
    </dl>
  );
}
