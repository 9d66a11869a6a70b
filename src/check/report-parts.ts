import type { ReportBlock, ReportPart } from '../control/orders/report-file.ts';

type Rows = readonly (readonly string[])[];

export function part(title: string, ...blocks: readonly ReportBlock[]): ReportPart {
  return { title, blocks };
}

export function textPart(title: string, text: string): ReportPart {
  return part(title, { kind: 'text', text });
}

/** Text to be copied; `label` says what it is of. */
export function codePart(title: string, text: string, label: string): ReportPart {
  return part(title, { kind: 'code', text, label });
}

/** None without items. */
export function listParts(title: string, items: readonly string[]): ReportPart[] {
  return items.length === 0 ? [] : [part(title, { kind: 'list', items })];
}

/** None without rows. */
export function tableParts(title: string, heads: readonly string[], rows: Rows): ReportPart[] {
  return rows.length === 0 ? [] : [part(title, { kind: 'table', heads, rows })];
}
