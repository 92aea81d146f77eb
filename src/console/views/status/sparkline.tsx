/** A line chart without axes. It shows whether a number rises, and by how much. */
export function Sparkline({ values, label, from = 0 }: { values: readonly number[]; label: string; from?: number }) {
  const most = Math.max(...values, from + 1e-9);
  const width = 100;
  const height = 28;
  const x = (index: number) => (values.length < 2 ? 0 : (index / (values.length - 1)) * width);
  const y = (value: number) => height - 2 - ((value - from) / (most - from)) * (height - 4);
  const points = values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  return (
    <svg
      class="status-sparkline"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {values.length > 1 && <polyline points={points} vector-effect="non-scaling-stroke" />}
    </svg>
  );
}
