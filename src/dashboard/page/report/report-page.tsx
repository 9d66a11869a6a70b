import type { ReportArticle, ReportFile } from '../../../control/trace/report-file.ts';
import { Badge } from '../pieces/values.tsx';
import { Lines, Part } from './report-block.tsx';
import '../trail/trail.css';
import '../compare/compare.css';
import './report.css';

/** The report of explore or mutate: each finding with the runs that show it, and what shows it again. */
export default function ReportPage({ report }: ReportFile) {
  const { title, command, sum, error, groups, parts } = report;
  return (
    <div className="report">
      <header className="row wrap padded ruled sunken">
        <h1>
          {title} <span className="soft">in</span> <code className="soft">{command}</code>
        </h1>
        <p className="soft">{sum}</p>
        {error && <Lines text={error} />}
      </header>
      <div className="report-grid">
        <Contents report={report} />
        <main>
          {groups.flatMap(({ articles }) => articles.map((article) => <Article key={article.id} article={article} />))}
          {parts.map((part) => (
            <Part key={part.title} part={part} />
          ))}
        </main>
      </div>
    </div>
  );
}

function Contents({ report: { groups, note } }: ReportFile) {
  return (
    <nav aria-label="Findings">
      {groups
        .filter(({ articles }) => articles.length > 0)
        .map(({ title, articles }) => (
          <div key={title}>
            <h2 className="soft small">{title}</h2>
            <ul>
              {articles.map((each) => (
                <li key={each.id}>
                  <a href={`#${each.id}`}>
                    {each.title} <small className="soft">{each.note}</small>
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      {note && <h2 className="soft small">{note.title}</h2>}
      {note && <p className="soft small">{note.text}</p>}
    </nav>
  );
}

function Article({ article: { id, badge, notes, heading, rows } }: { article: ReportArticle }) {
  return (
    <article id={id}>
      <header className="padded ruled">
        <p className="row wrap soft">
          <Badge tone={badge.tone}>{badge.text}</Badge>
          {notes.map((note) => (
            <span key={note}>{note}</span>
          ))}
        </p>
        <h2>{heading}</h2>
      </header>
      {rows.map((parts) => (
        <div
          key={parts.map(({ title, blocks }) => title ?? blocks[0]?.kind).join()}
          className={parts.length > 1 ? 'halves ruled' : 'ruled'}
        >
          {parts.map((part) => (
            <Part key={part.title} part={part} />
          ))}
        </div>
      ))}
    </article>
  );
}
