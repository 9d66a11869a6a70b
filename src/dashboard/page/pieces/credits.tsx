const NUMBERS = new Intl.NumberFormat('en');

export function formatNumber(value: number): string {
  return NUMBERS.format(value);
}

interface CreditsProps {
  amount: number;
  /** Shows a sign, and its colour: money in is green, money out red. */
  signed?: boolean;
  /** Says "credits" behind it. */
  unit?: boolean;
}

/** An amount of credits. */
export function Credits({ amount, signed = false, unit = false }: CreditsProps) {
  const sign = signed && amount > 0 ? '+' : '';
  const digits = formatNumber(amount).replace('-', '−');
  const word = unit ? (Math.abs(amount) === 1 ? ' credit' : ' credits') : '';
  const tone = amount > 0 ? 'good' : 'bad';
  return (
    <span className="toned" data-tone={signed && amount !== 0 ? tone : undefined}>
      {sign + digits + word}
    </span>
  );
}
