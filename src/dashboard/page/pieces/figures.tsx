import type { ReactNode } from 'react';

/** A row of what counts most on a page, inside of something `measured`. */
export function Figures({ children }: { children: ReactNode }) {
  return <div className="figures ruled fixed">{children}</div>;
}

interface FigureProps {
  name: string;
  /** What changes it. */
  tool?: ReactNode;
  note?: ReactNode;
  children: ReactNode;
}

export function Figure({ name, tool, note, children }: FigureProps) {
  return (
    <div className="figure">
      <div className="soft small">{name}</div>
      <div className="row wrap">
        <span className="figure-value row wrap">{children}</span>
        {note && <span className="soft small">{note}</span>}
        {tool && <span className="grow" />}
        {tool}
      </div>
    </div>
  );
}
