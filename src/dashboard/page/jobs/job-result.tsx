import { nearUrl } from '../data/call-api.ts';
import type { Job } from '../data/records.ts';
import { promptOf } from './job-state.ts';

/** What a job came to, to be seen or heard. */
export function JobResult({ job }: { job: Job }) {
  const { result_url: url, content_type: type = '' } = job;
  if (!url) return null;
  const source = nearUrl(url);
  if (type.startsWith('image/')) {
    return <img className="job-result" src={source} alt={promptOf(job)} />;
  }
  const Player = type.startsWith('video/') ? 'video' : 'audio';
  return <Player className="job-result" src={source} controls preload="metadata" />;
}
