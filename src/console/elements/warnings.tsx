import { TriangleAlert } from 'lucide';
import type { Warning } from '../../warnings.ts';
import { Icon } from './icon.tsx';
import { countOf, FilePath, Name } from './text.tsx';

/** Warnings in a place that is not about them: their number, and the list after a click. */
export function FoldedWarnings({ warnings }: { warnings: readonly Warning[] }) {
  if (warnings.length === 0) return null;
  return (
    <details class="folded-warnings">
      <summary>
        <Icon icon={TriangleAlert} /> {countOf(warnings.length, 'warning')}
      </summary>
      <WarningList warnings={warnings} />
    </details>
  );
}

/** Mistakes in files and limits that were reached, each with its place. Empty without warnings. */
export function WarningList({ warnings }: { warnings: readonly Warning[] }) {
  if (warnings.length === 0) return null;
  return (
    <ul class="warning-list" aria-label="Warnings">
      {warnings.map((warning, index) => (
        <li key={`${index}-${warning.code}`}>
          <Icon icon={TriangleAlert} />
          <div>
            <p>
              <Name>{warning.message}</Name> <code class="faint">{warning.code}</code>
            </p>
            {warning.path !== undefined && (
              <p class="warning-place">
                <FilePath path={warning.path} />
                {warning.line !== undefined && <span>, line {warning.line}</span>}
                {warning.column !== undefined && <span>, column {warning.column}</span>}
              </p>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}
