import type { RefObject } from 'react';
import { AudioPlayer } from './audio-player.tsx';
import './media.css';

interface MediaViewProps {
  url: string;
  contentType: string;
  /** What it shows or says. */
  label: string;
  /** A small picture, until a clip plays. */
  poster?: string | undefined;
  media?: RefObject<HTMLMediaElement | null> | undefined;
}

/** A picture, clip, voice or song, played in place; nothing for files of another kind. */
export function MediaView({ url, contentType, label, poster, media }: MediaViewProps) {
  if (contentType.startsWith('image/')) return <img className="media" src={url} alt={label} />;
  if (contentType.startsWith('audio/')) return <AudioPlayer source={url} {...{ label, media }} />;
  if (!contentType.startsWith('video/')) return null;
  return (
    <video
      ref={(video) => {
        if (media) media.current = video;
      }}
      className="media"
      aria-label={label}
      src={url}
      poster={poster}
      preload="metadata"
      controls
      loop
      playsInline
    >
      <track kind="captions" />
    </video>
  );
}
