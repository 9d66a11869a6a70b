import { lengthText, type OrderStep, type OrderStepKind } from '../../../control/orders/order-step.ts';

/** Times are milliseconds after the order began; `to` is null for an open step. */
export interface Bar {
  step: string;
  from: number;
  to: number | null;
  look: 'call' | 'queued' | 'rendering' | 'delivery' | 'tick' | 'mark' | 'money';
  tone: OrderStep['tone'];
  text: string;
  note: string;
  balance?: { before: number; after: number };
}

type Own = Partial<Omit<Bar, 'step' | 'look'>>;

/** `now` is in milliseconds after the order began. */
export function barsOf(step: OrderStep, all: readonly OrderStep[], now: number): Bar[] {
  const { id, at, tone, kind } = step;
  const [look, draw] = DRAWN[kind] ?? ['mark', () => [{}]];
  const own = draw(step, all).map(
    (bar): Bar => ({ step: id, from: at, to: at, look, tone, text: '', note: '', ...bar }),
  );
  const isOpen = kind === 'started' && all.every((other) => other.id !== step.refs[0]);
  if (!isOpen) return own;
  const text = `rendering ${lengthText(now - at)}`;
  return [...own, { step: id, from: at, to: null, look: 'rendering', tone: 'work', text, note: '' }];
}

type Draw = (step: OrderStep, all: readonly OrderStep[]) => Own[];

/** Other steps are marks. */
const DRAWN: Partial<Record<OrderStepKind, readonly [look: Bar['look'], draw: Draw]>> = {
  received: ['call', receivedBars],
  returned: ['call', ({ at, took, data }) => [{ from: at - (took ?? 0), note: returnedNote(data) }]],
  charged: ['money', ({ data }) => [moneyBar(data)]],
  refunded: ['money', ({ data }) => [moneyBar(data)]],
  queued: ['queued', ({ took }) => [{ to: null, tone: 'plain', text: lengthText(took ?? 0) }]],
  started: [
    'queued',
    ({ at, took }) => [{ from: at - (took ?? 0), tone: 'plain', text: took ? lengthText(took) : '' }],
  ],
  failed: ['rendering', renderedBars],
  succeeded: ['rendering', renderedBars],
  delivered: ['delivery', (step) => [deliveryBar(step)]],
  published: ['tick', () => [{ note: 'no subscriber' }]],
  read: ['tick', readBars],
  clock: ['mark', ({ text }) => [{ note: text.replace('Clock ', '') }]],
  note: ['mark', ({ text }) => [{ note: text.replace('Note: ', '') }]],
  run: ['mark', ({ text }) => [{ note: text }]],
  discarded: ['mark', ({ text }) => [{ note: text }]],
};

function receivedBars({ at, took, data }: OrderStep, all: readonly OrderStep[]): Own[] {
  const length = took ?? 0;
  const isBad = all.some(
    ({ kind, data: { status } }) => kind === 'returned' && (status === 0 || Number(status) >= 400),
  );
  return [{ to: at + length, tone: isBad ? 'bad' : 'work', text: `${data.method} · ${lengthText(length)}` }];
}

function returnedNote({ status, error }: OrderStep['data']): string {
  return [status || 'reset', error?.code].filter(Boolean).join(' ');
}

function renderedBars({ at, took, data }: OrderStep): Own[] {
  const length = took ?? 0;
  return [{ from: at - length, text: `rendering ${lengthText(length)}`, note: data.error?.code ?? '' }];
}

function moneyBar({ amount = 0, balance }: OrderStep['data']): Own {
  const n = Math.abs(amount).toLocaleString('en');
  const text = amount < 0 ? `−${n}` : `+${n} refund`;
  if (balance === undefined) return { text };
  return { text, note: `${balance.toLocaleString('en')} left`, balance: { before: balance - amount, after: balance } };
}

function deliveryBar({ at, took, tone, data }: OrderStep): Own {
  const status = tone === 'work' ? 'pending' : (data.status ?? 'no response');
  const note = data.fault ? `${status}, injected: ${data.fault}` : String(status);
  return { to: at + (took ?? 0), text: took === null ? '' : lengthText(took), note };
}

function readBars({ at, text, data: { reads = [] } }: OrderStep): Own[] {
  return reads.map((after, n) => ({
    from: at + after,
    to: at + after,
    note: n === reads.length - 1 ? text.replace('Read the job: ', '') : '',
  }));
}
