import { effectRow, failsByDirective } from './effect-row.ts';
import { code } from './effect-values.ts';

/** The work fails with this code after its charge, which is refunded; with `match.take`, that take of a song alone. */
export const failJobEffect = effectRow({
  fields: { fail_job: code() },
  layer: 'outcome',
  domain: 'paid operations',
  reaches: ({ paid }) => paid !== undefined,
  acts: (request) => request.directives.status === undefined && !failsByDirective(request),
  suffer: ({ fail_job }) => ({ unit: { fail: fail_job } }),
  words: ({ fail_job }) => `Fails the work with ${fail_job}`,
  form: {
    text: 'Fail the work',
    shape: 'flat',
    fields: [{ name: 'fail_job', label: 'Code', type: 'code', note: 'It is refunded.', value: 'render_failed' }],
  },
  presets: [
    {
      text: 'The next take fails',
      note: 'The next paid call fails at its work, and is refunded',
      match: {},
      effect: { fail_job: 'render_failed' },
      times: 1,
    },
  ],
});
