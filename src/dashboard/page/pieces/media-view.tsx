import { Pause, Play } from 'lucide-react';
import { type RefObject, useEffect, useRef, useState } from 'react';
import WaveSurfer from 'wavesurfer.js';
import { stableUrls } from '../data/stable-urls.ts';
import { Button } from './page-parts.tsx';
import { Picture } from './picture.tsx';
import { playTime } from './values.tsx';

interface MediaViewProps {
  url: string;
  contentType: string;
  label: string;
  /** A small picture, until a clip plays. */
  poster?: string | undefined;
}

/** Shows or plays a picture, clip, voice or song; renders nothing for other files. Its URL stays the same between answers. */
export function MediaView({ url, contentType, label, poster }: MediaViewProps) {
  const src = stableUrls.of(url);
  if (contentType.startsWith('image/')) return <Picture className="media" src={src} alt={label} />;
  if (contentType.startsWith('audio/')) return <AudioPlayer source={src} label={label} />;
  if (!contentType.startsWith('video/')) return null;
  return (
    <video
      {...{ className: 'media', src, poster: poster && stableUrls.of(poster) }}
      aria-label={label}
      preload="metadata"
      controls
      loop
      playsInline
    >
      <track kind="captions" />
    </video>
  );
}

/** In pixels. It is part of the waveform's style, whose hash is in the content security policy. */
const HEIGHT = 64;

/** Readable on light and on dark. */
const LOOK = { waveColor: '#8b8e98', progressColor: '#6b65f0', cursorWidth: 0 };
const BARS = { barWidth: 2, barGap: 1, barRadius: 2, normalize: true };

export function AudioPlayer({ source, label }: { source: string | Blob; label: string }) {
  const own = useRef<HTMLAudioElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const { isPlaying, at, length } = usePlaying(own, source);
  useWaveform(box, own, source);
  const toggle = () => {
    const audio = own.current;
    if (audio?.paused) void audio.play().catch(() => undefined);
    else audio?.pause();
  };
  return (
    <div className="audio framed sunken row" role="group" aria-label={label}>
      <audio ref={own} src={typeof source === 'string' ? source : undefined} preload="auto">
        <track kind="captions" />
      </audio>
      <Button icon={isPlaying ? Pause : Play} aria-label={isPlaying ? 'Pause' : 'Play'} onClick={toggle} />
      <div className="wave grow">
        <div ref={box} aria-hidden />
        <input
          type="range"
          aria-label={`Position in ${label}`}
          aria-valuetext={`${playTime(at)} of ${playTime(length)}`}
          min={0}
          max={length || 1}
          step={0.1}
          value={at}
          onChange={({ target }) => {
            if (own.current) own.current.currentTime = Number(target.value);
          }}
        />
      </div>
      <span className="soft fixed">
        {playTime(at)} / {playTime(length)}
      </span>
    </div>
  );
}

const HEARD = ['play', 'pause', 'ended', 'timeupdate', 'seeked', 'durationchange'];

function usePlaying(media: RefObject<HTMLMediaElement | null>, source: string | Blob) {
  const [state, setState] = useState({ isPlaying: false, at: 0, length: 0 });
  useEffect(() => {
    const element = media.current;
    if (!element || source === '') return;
    const look = () => {
      const { paused, currentTime: at, duration } = element;
      setState({ isPlaying: !paused, at, length: Number.isFinite(duration) ? duration : 0 });
    };
    look();
    for (const name of HEARD) element.addEventListener(name, look);
    return () => {
      for (const name of HEARD) element.removeEventListener(name, look);
    };
  }, [media, source]);
  return state;
}

function useWaveform(
  box: RefObject<HTMLDivElement | null>,
  media: RefObject<HTMLMediaElement | null>,
  source: string | Blob,
): void {
  useEffect(() => {
    const [container, element] = [box.current, media.current];
    if (!container || !element) return;
    const shown = { container, media: element, height: HEIGHT, interact: false };
    const wave = WaveSurfer.create({ ...shown, ...LOOK, ...BARS });
    // What cannot be read shows no waveform; the player says the rest.
    wave.on('error', () => undefined);
    if (source instanceof Blob) wave.loadBlob(source).catch(() => undefined);
    return () => wave.destroy();
  }, [box, media, source]);
}
