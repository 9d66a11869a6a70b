import { Trash2 } from 'lucide-react';
import type { ComponentProps } from 'react';
import { deleteRecord } from '../data/queries.ts';
import { Act } from '../pieces/act.tsx';

/** A button that deletes a record, once asked, and closes what shows it. */
export function DeleteRecord({
  resource,
  id,
  ask,
  onClose,
}: {
  resource: 'elements' | 'library';
  id: string;
  ask: NonNullable<ComponentProps<typeof Act>['ask']>;
  onClose: () => void;
}) {
  const act = () => {
    onClose();
    return deleteRecord(resource, id);
  };
  return <Act text="Delete" icon={Trash2} look="quiet" isSmall act={act} said={['Deleted']} ask={ask} />;
}
