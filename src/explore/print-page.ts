import { xmlText } from '../report-card/xml-text.ts';
import type { ExploreReport } from './explore-report.ts';
import { titleOf } from './print-finding.ts';

/** The report as one page that needs nothing else. */
export function printExplorePage(report: ExploreReport): string {
  return `<!doctype html><title>${xmlText(report.command)}</title><ul>${report.findings.map(({ schedule }) => `<li>${xmlText(titleOf(schedule))}`).join('')}</ul>`;
}
