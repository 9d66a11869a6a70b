import { ImageOff } from 'lucide-react';
import { type CSSProperties, useState } from 'react';
import { isUrlExpired, stableUrls } from '../data/stable-urls.ts';

interface PictureProps {
  src: string;
  className: 'shot' | 'media';
  alt?: string | undefined;
  style?: CSSProperties | undefined;
}

export function Picture({ src, className, alt = '', style }: PictureProps) {
  const [broken, setBroken] = useState(isUrlExpired(src) ? { src, why: EXPIRED } : undefined);
  if (broken?.src !== src) {
    const onError = () => void whyBroken(src).then((why) => setBroken({ src, why }));
    return <img {...{ className, src, style, onError }} alt={alt} loading="lazy" decoding="async" />;
  }
  const { why } = broken;
  const name = alt === '' ? why : `${alt}: ${why}`;
  const look = { className: `${className} picture-broken centred soft small`, style };
  return (
    <span {...look} role="img" aria-label={name} title={why}>
      <ImageOff aria-hidden />
      <span aria-hidden>{why}</span>
    </span>
  );
}

export function PreviewImage({ url, style }: { url: string; style?: CSSProperties }) {
  return <Picture src={stableUrls.of(url)} className="shot" style={style} />;
}

const EXPIRED = 'URL expired';
const REASONS: Record<number, string> = { 403: EXPIRED, 404: 'no longer available', 410: 'no longer available' };

/** Requests the file again, because an image element does not report the status of the response. */
async function whyBroken(src: string): Promise<string> {
  try {
    const { status } = await fetch(src, { method: 'HEAD' });
    return REASONS[status] ?? 'cannot be shown';
  } catch {
    return 'cannot be loaded';
  }
}
