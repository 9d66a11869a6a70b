import { type RefObject, useMemo, useState } from 'react';

/** While one looks further down, what comes in above waits: it would push away what is looked at. */
export function useHeldTop<Item extends { id: string }>(box: RefObject<HTMLElement | null>, items: readonly Item[]) {
  const [first, setFirst] = useState<string>();
  const found = first === undefined ? 0 : items.findIndex(({ id }) => id === first);
  const count = Math.max(0, found);
  const onScroll = () => {
    const isTop = (box.current?.scrollTop ?? 0) <= 0;
    setFirst((before) => (isTop ? undefined : (before ?? items[0]?.id)));
  };
  const toTop = () => {
    setFirst(undefined);
    box.current?.scrollTo({ top: 0 });
  };
  const held = useMemo(() => (count === 0 ? items : items.slice(count)), [items, count]);
  return { held, count, onScroll, toTop };
}
