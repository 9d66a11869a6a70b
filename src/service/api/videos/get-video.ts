import { operation } from '../../http/operation.ts';
import { readJob } from '../read-job.ts';
import { videoJob } from './video-schemas.ts';

export const getVideo = operation({
  name: 'getVideo',
  method: 'GET',
  path: '/v1/videos/generations/:id',
  summary: 'Polls the job of a clip; free.',
  access: 'key',
  answer: videoJob,
  handle: (call) => readJob(call, 'video') as Promise<never>,
});
