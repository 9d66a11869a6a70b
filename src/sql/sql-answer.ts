/** A value of a row, or of a parameter. */
export type SqlScalar = string | number | boolean | null;

/** One statement, and what stands in for its question marks or names. */
export interface SqlQuestion {
  sql: string;
  params: SqlScalar[] | Record<string, SqlScalar>;
}

/** What the reading process is asked: which file, what, and how much it may answer. */
export interface SqlOrder extends SqlQuestion {
  file: string;
  mostRows: number;
  /** Of the whole answer as JSON. */
  mostBytes: number;
}

/** Rows by column; `truncated` where there were more, or one took too much memory, with those before it left out as well. Bytes are base64, integers beyond 2^53 are texts. */
export interface SqlRows {
  columns: string[];
  rows: Record<string, unknown>[];
  truncated: boolean;
}

/** What the reading process answers. */
export type SqlReport = SqlRows | { error: string };

/** What it writes before it runs the statement: from then on its time counts. */
export const READY = '\n';
