import { useEffect } from 'react';
import { useRecord } from '../data/queries.ts';
import { useFilter } from '../pieces/use-filter.ts';
import type { Draft } from './call-draft.ts';
import { draftStore } from './draft-store.ts';
import type { ServiceCall } from './read-document.ts';

/** Fills the form from a render that the address names: `?from=lib_…`; then the address is as before. */
export function useRecipe(call: ServiceCall | undefined): void {
  const [from, setFrom] = useFilter('from');
  const { data } = useRecord<{ id: string; recipe: Draft }>(`/library/${from}`, {
    enabled: from !== '',
  });
  useEffect(() => {
    if (!call || data?.id !== from || from === '') return;
    draftStore.put(call.id, fittingDraft(call, data.recipe));
    setFrom('');
  });
}

/** Pictures are kept in short in a recipe: they are left out. */
function fittingDraft({ fields }: ServiceCall, recipe: Draft): Draft {
  const known = fields.filter(({ kind, name }) => kind !== 'picture' && name !== 'references');
  return Object.fromEntries(known.flatMap(({ name }) => (recipe[name] === undefined ? [] : [[name, recipe[name]]])));
}
