import { Pause, Play } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import WaveSurfer from 'wavesurfer.js';
import { isUrlExpired, useFileUrl } from '../data/file-urls.ts';
import { Button } from './page-parts.tsx';
import { Picture } from './picture.tsx';
import { formatPlayTime } from './values.tsx';

interface MediaViewProps {
  file: { url: string; content_type: string; thumbnail_url?: string };
  label: string;
}

export function MediaView({ file: { url, content_type: type, thumbnail_url: thumbnail }, label }: MediaViewProps) {
  const src = useFileUrl(url);
  const preview = useFileUrl(thumbnail ?? url);
  if (!/^(?:image|audio|video)\//.test(type)) return null;
  if (type.startsWith('image/') || isUrlExpired(src)) return <Picture className="media" url={url} alt={label} />;
  if (type.startsWith('audio/')) return <AudioPlayer source={src} label={label} />;
  const poster = thumbnail && preview;
  return (
    <video {...{ className: 'media', src, poster }} aria-label={label} preload="metadata" controls loop playsInline>
      <track kind="captions" />
    </video>
  );
}

/** The height of the waveform in pixels. It is part of the style whose hash the content security policy contains. */
const HEIGHT = 64;

const LOOK = { waveColor: '#8b8e98', progressColor: '#6b65f0', cursorWidth: 0, barWidth: 2, barGap: 1, barRadius: 2 };

export function AudioPlayer({ source, label }: { source: string | Blob; label: string }) {
  const own = useRef<HTMLAudioElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const [{ isPlaying, at, length }, setState] = useState({ isPlaying: false, at: 0, length: 0 });
  useEffect(() => {
    const [container, media] = [box.current, own.current];
    if (!container || !media) return;
    const wave = WaveSurfer.create({ container, media, height: HEIGHT, interact: false, normalize: true, ...LOOK });
    wave.on('error', () => undefined);
    if (source instanceof Blob) wave.loadBlob(source).catch(() => undefined);
    return () => wave.destroy();
  }, [source]);
  const look = ({ currentTarget: { paused, currentTime, duration } }: { currentTarget: HTMLMediaElement }) =>
    setState({ isPlaying: !paused, at: currentTime, length: Number.isFinite(duration) ? duration : 0 });
  // No handler is needed for the end of the file, which is also a pause, or for a seek, which also changes the time.
  const heard = { onPlay: look, onPause: look, onTimeUpdate: look, onDurationChange: look };
  const toggle = () => {
    const audio = own.current;
    if (audio?.paused) void audio.play().catch(() => undefined);
    else audio?.pause();
  };
  return (
    <div className="audio framed sunken row" role="group" aria-label={label}>
      <audio {...heard} ref={own} src={typeof source === 'string' ? source : undefined} preload="auto">
        <track kind="captions" />
      </audio>
      <Button icon={isPlaying ? Pause : Play} text={isPlaying ? 'Pause' : 'Play'} isSmall onClick={toggle} />
      <div className="wave grow">
        <div ref={box} aria-hidden />
        <input
          type="range"
          aria-label={`Position in ${label}`}
          aria-valuetext={`${formatPlayTime(at)} of ${formatPlayTime(length)}`}
          {...{ min: 0, max: length || 1, step: 0.1, value: at }}
          onChange={({ target }) => {
            if (own.current) own.current.currentTime = Number(target.value);
          }}
        />
      </div>
      <span className="soft fixed">
        {formatPlayTime(at)} / {formatPlayTime(length)}
      </span>
    </div>
  );
}
