import { operation } from '../../http/operation.ts';
import { readJob } from '../read-job.ts';
import { songJob } from './song-job.ts';

export const getSong = operation({
  name: 'getSong',
  method: 'GET',
  path: '/v1/music/generations/:id',
  summary: 'Polls the job of one take; free.',
  access: 'key',
  answer: songJob,
  handle: (call) => readJob(call, 'music') as Promise<never>,
});
