import { AudioLines, Plus, UserRound } from 'lucide-react';
import { Link, useSearch } from 'wouter';
import { useOnlyAccount } from '../data/chosen-account.ts';
import { at } from '../data/paths.ts';
import { steadyUrls } from '../data/steady-urls.ts';
import { Button } from '../pieces/button.tsx';
import { EmptyState } from '../pieces/empty-state.tsx';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { ListTools } from '../pieces/list-tools.tsx';
import { NoneLike } from '../pieces/none-like.tsx';
import { OfService } from '../pieces/of-service.tsx';
import { useWhole } from '../pieces/use-whole.ts';
import type { SavedElement } from './gallery-records.ts';

/** The address of the form for a new element. */
export const NEW_ELEMENT = 'el_new';

/** Characters and things that prompts can name. */
export function ElementsTab({ id, open }: { id: string | undefined; open: (id: string) => void }) {
  const only = useOnlyAccount();
  const { all, rows, count, isPending, error } = useWhole<SavedElement>('/elements', { params: { account_id: only } });
  return (
    <>
      <ListTools label="Search elements">
        <OfService>
          <Button icon={<Plus aria-hidden />} onClick={() => open(NEW_ELEMENT)}>
            New element
          </Button>
        </OfService>
      </ListTools>
      <ErrorNotice error={error} />
      {all.length === 0 && !isPending && (
        <EmptyState icon={UserRound} title="No element is saved">
          <p>Save a character or a thing, and prompts of clips can name it: @mara opens the door.</p>
        </EmptyState>
      )}
      {all.length > 0 && rows.length === 0 && <NoneLike what="elements" count={count} />}
      {rows.length > 0 && (
        <ul className="cards fill scrolls" aria-label="Elements" tabIndex={-1}>
          {rows.map((element) => (
            <ElementCard key={element.id} element={element} isOpen={element.id === id} />
          ))}
        </ul>
      )}
    </>
  );
}

function ElementCard({ element, isOpen }: { element: SavedElement; isOpen: boolean }) {
  const { id, handle, name, kind, picture_url, voice_url } = element;
  const search = useSearch();
  return (
    <li>
      <Link
        className="tile"
        href={`${at.gallery(id)}${search === '' ? '' : `?${search}`}`}
        aria-current={isOpen ? 'true' : undefined}
      >
        <div className="tile-picture card-picture centred soft">
          {picture_url ? <img src={steadyUrls.of(picture_url)} alt="" loading="lazy" /> : <UserRound aria-hidden />}
        </div>
        <p className="strong cut">@{handle}</p>
        <p className="soft small cut">
          {name} · {kind} {voice_url && <AudioLines size={12} aria-label="has a voice" />}
        </p>
      </Link>
    </li>
  );
}
