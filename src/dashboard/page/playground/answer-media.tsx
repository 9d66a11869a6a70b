import { useEffect, useMemo } from 'react';
import { steadyUrls } from '../data/steady-urls.ts';
import { AudioPlayer } from '../pieces/audio-player.tsx';
import { MediaView } from '../pieces/media-view.tsx';
import type { CallState } from './call-state.ts';

interface Made {
  url?: string;
  b64_json?: string;
  content_type?: string;
}

interface Answered {
  text?: string;
  data?: Made[];
  choices?: { message: { content: string } }[];
}

interface AnswerMediaProps {
  operation: string;
  state: CallState;
}

/** What an answer carries, as it is meant to be seen, read or heard. */
export function AnswerMedia({ operation, state: { json, file } }: AnswerMediaProps) {
  const { text, data = [], choices = [] } = (json ?? {}) as Answered;
  const said = text ?? choices[0]?.message.content;
  const isMade = operation === 'createImage' || operation === 'createVideo';
  return (
    <>
      {said !== undefined && (
        <p className="answer-text pre" dir="auto">
          {said}
        </p>
      )}
      {file && <AudioPlayer source={file} label="What was made" />}
      {isMade && data.map((made) => <MadeView key={made.url ?? ''} made={made} />)}
    </>
  );
}

function MadeView({ made }: { made: Made }) {
  const { url, b64_json: base64, content_type: contentType = 'image/png' } = made;
  const own = useMemo(() => (base64 ? blobUrl(base64, contentType) : undefined), [base64, contentType]);
  useEffect(() => () => URL.revokeObjectURL(own ?? ''), [own]);
  const shown = url ? steadyUrls.of(url) : own;
  return shown ? <MediaView url={shown} contentType={contentType} label="What was made" /> : null;
}

function blobUrl(base64: string, type: string): string {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return URL.createObjectURL(new Blob([bytes], { type }));
}
