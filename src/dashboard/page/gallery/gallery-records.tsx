import { Trash2 } from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import type { ElementRecord, UsedElement } from '../../../control/elements.ts';
import type { LibraryRecord } from '../../../control/library.ts';
import { withKey } from '../data/account-and-clock.ts';
import { sendForm } from '../data/call-api.ts';
import { ActionButton } from '../pieces/action-button.tsx';
import { showError, showToast } from '../pieces/page-parts.tsx';

export type { ObjectRecord as StoredObject } from '../../../control/library.ts';

/** `used_by` is answered for a single element only. */
export type SavedElement = ElementRecord & Partial<UsedElement>;

/** What a render was made from: effective parameters, model and seed. */
export interface Recipe {
  model: string;
  seed: number | null;
  prompt?: string;
  input?: string;
  title?: string;
  style?: string;
  lyrics?: string | null;
  negative_prompt?: string;
  aspect?: string;
  take?: number;
  [field: string]: unknown;
}

export type LibraryEntry = LibraryRecord & { recipe: Recipe };

export const KINDS = {
  image: 'Picture',
  video: 'Clip',
  speech: 'Voice',
  music: 'Song',
} as const;

/** The words that say best what a render is. */
export function titleOf({ recipe, kind }: LibraryEntry): string {
  const { title, prompt, input, style, lyrics } = recipe;
  return title || prompt || input || style || lyrics || KINDS[kind];
}

/** Wide by high; sounds have room for their waveform. */
export function ratioOf({ kind, recipe }: LibraryEntry): number {
  if (kind === 'image') return 1;
  if (kind !== 'video') return 2;
  const [wide = 16, high = 9] = (recipe.aspect ?? '16:9').split(':').map(Number);
  return wide / high || 16 / 9;
}

interface DeleteRecordProps {
  act: () => Promise<unknown>;
  confirm: NonNullable<ComponentProps<typeof ActionButton>['confirm']>;
  onClose: () => void;
}

/** A button that deletes a record after confirmation. Its drawer closes first, so that it is not requested again. */
export function DeleteRecord({ act: remove, confirm, onClose }: DeleteRecordProps) {
  const act = () => {
    onClose();
    return remove();
  };
  return (
    <ActionButton text="Delete" icon={Trash2} variant="quiet" isSmall act={act} toast={['Deleted']} confirm={confirm} />
  );
}

/** Uploads files as an account, one after the other, and shows errors. */
export function useUploads(accountId: string | undefined) {
  const [underWay, setUnderWay] = useState(0);
  const send = (files: readonly File[]) => {
    if (accountId === undefined || files.length === 0) return;
    setUnderWay((before) => before + files.length);
    withKey(accountId, (key) => sendAll(key, files))
      .catch(showError)
      .finally(() => setUnderWay((before) => before - files.length));
  };
  return { underWay, send };
}

async function sendAll(key: string, files: readonly File[]): Promise<void> {
  for (const file of files) {
    const form = new FormData();
    form.set('file', file);
    const { usage } = await sendForm<{ usage: { credits_spent: number } }>('/storage/objects', { key, form });
    showToast(`Stored ${file.name}`, `${usage.credits_spent} credits`, 'good');
  }
}
