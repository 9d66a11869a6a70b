import { drawLanes } from '../orders/draw-lanes.ts';
import { printTree } from './print-tree.ts';
import type { RunDrawing } from './run-drawing.ts';

/** A failing run as the dashboard draws an order, without what can be clicked. */
export function printLanes(drawing: RunDrawing): string {
  const label = 'The failing run on one axis of time; the list below says the same';
  return printTree(
    drawLanes(drawing, {
      ...{ scale: 'even', attributes: { role: 'img', 'aria-label': label }, bar: ['span', { className: 'bar' }] },
      inBar: ({ sign }) => (sign === undefined ? [] : [['span', { className: 'sign' }, String(sign)]]),
    }),
  );
}
