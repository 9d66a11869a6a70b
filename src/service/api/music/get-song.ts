import { z } from 'zod';
import { JOB_STATUSES } from '../../../engine/jobs/job.ts';
import { operation } from '../../http/operation.ts';
import { readJob } from '../read-job.ts';
import { unixTime } from '../usage-schema.ts';

/** One take of a song. */
export const songJob = z.looseObject({
  id: z.string(),
  object: z.literal('music.generation'),
  status: z.enum(JOB_STATUSES),
  model: z.string(),
  created: unixTime,
  take: z.int(),
  seed: z.int(),
  credits: z.int(),
  completed: unixTime.optional(),
  result_url: z.string().optional(),
  content_type: z.string().optional(),
  library_id: z.string().optional(),
  /** Real length of the file in seconds. */
  duration: z.number().optional(),
  error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
});

export const getSong = operation({
  name: 'getSong',
  method: 'GET',
  path: '/v1/music/generations/:id',
  summary: 'Polls the job of one take; free.',
  access: 'key',
  answer: songJob,
  handle: (call) => readJob(call, 'music') as Promise<never>,
});
