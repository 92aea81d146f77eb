import { count } from './text.tsx';

/** How much of a budget is used, as text and as a bar. */
export function TokenBar({ used, max, label = 'Tokens' }: { used: number; max?: number; label?: string }) {
  const share = max === undefined ? undefined : Math.min(1, used / Math.max(1, max));
  const isOver = max !== undefined && used > max;
  return (
    <div class="token-bar">
      <span>
        {label}: <strong>{count(used)}</strong>
        {max !== undefined && ` of ${count(max)}`}
      </span>
      {share !== undefined && (
        <span class="token-bar-track" data-full={isOver || share > 0.9}>
          <span class="token-bar-fill" style={{ inlineSize: `${share * 100}%` }} />
        </span>
      )}
    </div>
  );
}
