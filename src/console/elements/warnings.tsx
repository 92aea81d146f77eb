import { TriangleAlert } from 'lucide';
import type { Warning } from '../../warnings.ts';
import { Icon } from './icon.tsx';
import { FilePath, Name } from './text.tsx';

/** Mistakes in files and limits that were reached, each with its place. Nothing when there are none. */
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
