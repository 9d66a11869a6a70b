import { useState } from 'react';
import { nearUrl } from '../data/call-api.ts';
import { MediaView } from '../pieces/media-view.tsx';
import type { RunOutput } from './flow-records.ts';

interface OutputViewProps {
  output: Pick<RunOutput, 'kind' | 'text' | 'url' | 'nodeId'>;
  /** All of the run: what a post shows is often one of them. */
  outputs: readonly RunOutput[];
}

/** What a step came to: read, looked at or played in place. */
export function OutputView({ output, outputs }: OutputViewProps) {
  const { text, url, nodeId } = output;
  return (
    <div className="stack">
      {text !== undefined && (
        <p className="pre" dir="auto">
          {text}
        </p>
      )}
      {url !== undefined && <RunMedia url={url} kind={kindOf(output, outputs)} label={nodeId} />}
    </div>
  );
}

/** A picture, clip or sound of the emulator; of elsewhere, where it is. */
function RunMedia({ url, kind, label }: { url: string; kind: string; label: string }) {
  const near = nearUrl(url);
  if (!near.startsWith('/cdn/')) return <code>{url}</code>;
  return <HeldMedia key={fileOf(near)} {...{ url: near, kind, label }} />;
}

/** Each telling signs a URL anew: the first one is kept, so that what plays goes on. */
function HeldMedia({ url, kind, label }: { url: string; kind: string; label: string }) {
  const [first] = useState(url);
  return <MediaView url={first} contentType={`${kind}/*`} label={`What ${label} made`} />;
}

function fileOf(url: string): string {
  return nearUrl(url).split('?')[0] ?? '';
}

/** A post does not say what is behind its URL: the step that made it does. */
function kindOf({ kind, url }: OutputViewProps['output'], outputs: readonly RunOutput[]): string {
  if (kind !== 'post' || url === undefined) return kind;
  const file = fileOf(url);
  const made = outputs.find((other) => other.kind !== 'post' && other.url && fileOf(other.url) === file);
  return made?.kind ?? 'image';
}
