import { useState } from 'react';
import { withKey } from '../data/borrow-key.ts';
import { sendForm } from '../data/call-api.ts';
import { say, sayError } from '../pieces/toast.tsx';

interface StoredAnswer {
  usage: { credits_spent: number };
}

/** Stores files as an account, one after the other; what is refused is said. */
export function useUploads(accountId: string | undefined) {
  const [underWay, setUnderWay] = useState(0);
  const send = (files: readonly File[]) => {
    if (accountId === undefined || files.length === 0) return;
    setUnderWay((before) => before + files.length);
    withKey(accountId, (key) => sendAll(key, files))
      .catch(sayError)
      .finally(() => setUnderWay((before) => before - files.length));
  };
  return { underWay, send };
}

async function sendAll(key: string, files: readonly File[]): Promise<void> {
  for (const file of files) {
    const form = new FormData();
    form.set('file', file);
    const { usage } = await sendForm<StoredAnswer>('/storage/objects', { key, form });
    say(`Stored ${file.name}`, `${usage.credits_spent} credits`, 'good');
  }
}
