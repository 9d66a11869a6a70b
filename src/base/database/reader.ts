export type SqlValue = string | number | bigint | Buffer | null;

export interface Reader {
  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined;
  all<Row>(sql: string, ...values: SqlValue[]): Row[];
}

export interface Writer {
  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined;
  /** Returns the number of changed rows. */
  run(sql: string, ...values: SqlValue[]): number;
  /** Returns the row id. */
  insert(sql: string, ...values: SqlValue[]): number;
}

export interface PositionRange {
  after: number;
  last: number;
}
