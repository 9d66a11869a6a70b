import type { RunRecord, TestRow } from './run-record.ts';

export function combineRunRecords(all: readonly RunRecord[]): RunRecord {
  return {
    accounts: all.flatMap(({ accounts = [] }) => accounts),
    tests: all.flatMap(({ tests = [] }) => tests),
    requests: all.flatMap(({ requests }) => requests),
    jobs: all.flatMap(({ jobs }) => jobs),
    deliveries: all.flatMap(({ deliveries }) => deliveries),
    ledger: all.flatMap(({ ledger }) => ledger),
    findings: all.flatMap(({ findings }) => findings),
  };
}

export function filterRecordByTests(record: RunRecord, rows: readonly TestRow[], isOwn: boolean): RunRecord {
  const ids = new Set(rows.flatMap((row) => row.account_ids));
  const isOf = (id: string | null | undefined) => ids.has(id ?? '') === isOwn;
  const asked = record.requests.filter(({ account_id: id }) => ids.has(id ?? ''));
  const subjects = new Set(asked.flatMap(({ job_ids: jobs, run_id: run }) => [...jobs, run ?? '']).filter(Boolean));
  const deliveries = record.deliveries.filter(({ subject }) => subjects.has(subject ?? ''));
  const endpoints = new Set(deliveries.map(({ endpoint_id: id }) => id));
  return {
    accounts: (record.accounts ?? []).filter(({ id }) => isOf(id)),
    tests: (record.tests ?? []).filter((row) => rows.includes(row) === isOwn),
    requests: record.requests.filter(({ account_id: id }) => isOf(id)),
    jobs: record.jobs.filter(({ account_id: id }) => isOf(id)),
    deliveries: record.deliveries.filter(({ endpoint_id: id }) => endpoints.has(id) === isOwn),
    ledger: record.ledger.filter(({ account_id: id }) => isOf(id)),
    findings: record.findings.filter(({ account_id: id }) => isOf(id)),
  };
}
