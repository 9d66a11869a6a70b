/** The address of each page. No other file writes these. */
export const at = {
  live: (id?: string) => below('/dashboard/live', id),
  trail: (id?: string) => below('/dashboard/trail', id),
  money: (id?: string) => below('/dashboard/money', id),
  people: (id?: string) => below('/dashboard/people', id),
  gallery: (id?: string) => below('/dashboard/gallery', id),
  playground: (id?: string) => below('/dashboard/playground', id),
  jobs: (id?: string) => below('/dashboard/jobs', id),
  webhooks: (id?: string) => below('/dashboard/webhooks', id),
  flows: (id?: string) => below('/dashboard/flows', id),
  faults: (id?: string) => below('/dashboard/faults', id),
  compare: (id?: string) => below('/dashboard/compare', id),
  verdict: (id?: string) => below('/dashboard/verdict', id),
  docs: (id?: string) => below('/docs', id),
};

export type Area = keyof typeof at;

function below(path: string, id?: string): string {
  return id === undefined ? path : `${path}/${encodeURIComponent(id)}`;
}

/** The page of an id, by its prefix. */
const PATHS: readonly (readonly [string, (id: string) => string])[] = [
  ['req_', at.trail],
  ['job_', at.trail],
  ['acct_', at.people],
  ['key_', at.people],
  ['ws_', at.people],
  ['lib_', at.gallery],
  ['obj_', at.gallery],
  ['el_', at.gallery],
  ['evt_', at.trail],
  ['dlv_', at.trail],
  ['we_', at.webhooks],
  ['flow_', at.flows],
  ['run_', at.flows],
  ['flt_', at.faults],
  ['le_', at.trail],
];

/** The page of the record with this id; undefined if it has none. */
export function pathOf(id: string): string | undefined {
  return PATHS.find(([prefix]) => id.startsWith(prefix))?.[1](id);
}
