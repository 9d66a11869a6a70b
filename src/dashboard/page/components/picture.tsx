import { ImageOff } from 'lucide-react';
import { useState } from 'react';
import { isUrlExpired, useFileUrl } from '../data/file-urls.ts';

interface PictureProps {
  url: string;
  className?: 'shot' | 'media';
  alt?: string | undefined;
}

export function Picture({ url, className = 'shot', alt = '' }: PictureProps) {
  const src = useFileUrl(url);
  const [broken, setBroken] = useState(isUrlExpired(src) ? { src, why: EXPIRED } : undefined);
  if (broken?.src !== src) {
    const onError = () => void whyBroken(src).then((why) => setBroken({ src, why }));
    return <img {...{ className, src, onError }} alt={alt} loading="lazy" decoding="async" />;
  }
  const { why } = broken;
  const name = alt === '' ? why : `${alt}: ${why}`;
  return (
    <span className={`${className} picture-broken centred soft small`} role="img" aria-label={name} title={why}>
      <ImageOff aria-hidden />
      <span aria-hidden>{why}</span>
    </span>
  );
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
