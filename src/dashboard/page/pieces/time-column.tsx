import type { Column } from './column.ts';
import { TimeOfDay } from './relative-time.tsx';

/** When a row came, in unix seconds. */
export const TIME_COLUMN: Column<{ created: number }> = {
  title: 'Time',
  width: '64px',
  cell: ({ created }) => (
    <span className="soft">
      <TimeOfDay at={created} />
    </span>
  ),
  line: 2,
};
