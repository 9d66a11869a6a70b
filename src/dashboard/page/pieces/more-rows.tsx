import { useEffect, useRef } from 'react';
import { Button } from './button.tsx';

interface MoreRowsProps {
  /** Fetches them; undefined while that is under way, or when there are none. */
  more: (() => void) | undefined;
  /** Does so as soon as the end of the list is in sight. */
  byItself?: boolean;
  children: string;
}

/** At the foot of a list of which there is more. */
export function MoreRows({ more, byItself = false, children }: MoreRowsProps) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!byItself || !more || !button.current) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && more());
    observer.observe(button.current);
    return () => observer.disconnect();
  }, [byItself, more]);
  return (
    <Button ref={button} disabled={!more} onClick={more}>
      {children}
    </Button>
  );
}
