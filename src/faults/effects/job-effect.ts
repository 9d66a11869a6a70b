import { z } from 'zod';
import { JOB_PACES, type JobPace } from '../struck.ts';
import { effectRow } from './effect-row.ts';

/** When a job seems final to those who read it, beside its event; each as the text of a rule says it [I237]. */
const PACES: Record<JobPace, string> = {
  instant: 'Ends the job, its event delivered, before the answer',
  late: 'Ends the job at its fourth read, or after 3 s',
  unpolled: 'Shows the job as processing until its event was answered',
};

export const jobEffect = effectRow({
  fields: { job: z.enum(JOB_PACES).describe(`${JOB_PACES.join(', ')}.`) },
  layer: 'pace',
  domain: 'clips and songs, whose jobs are polled,',
  reaches: ({ paid, surface }) => surface === 'service' && (paid === 'video.generation' || paid === 'music.generation'),
  suffer: ({ job }) => ({ unit: { faults: { pace: job } } }),
  words: ({ job }) => PACES[job],
  form: {
    text: 'Change when a job ends',
    shape: 'flat',
    fields: [{ name: 'job', label: 'How', type: 'options', options: Object.entries(PACES), value: 'instant' }],
  },
  presets: [
    {
      text: 'Webhook first',
      note: 'The next job is final, and its event delivered, before its order is answered',
      match: {},
      effect: { job: 'instant' },
      times: 1,
    },
  ],
});
