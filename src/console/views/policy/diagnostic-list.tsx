import { CircleCheck, CircleX, TriangleAlert } from 'lucide';
import type { Diagnostic } from '../../../validation/diagnostic.ts';
import { Icon } from '../../elements/icon.tsx';
import { Name } from '../../elements/text.tsx';

type DiagnosticListProps = {
  diagnostics: readonly Diagnostic[];
  onGo: (line: number) => void;
};

/** The findings in the text, with a link to each place. Also for screen readers. */
export function DiagnosticList({ diagnostics, onGo }: DiagnosticListProps) {
  return (
    <div class="policy-diagnostics" role="status" aria-label="Findings">
      {diagnostics.length === 0 ? (
        <p class="policy-diagnostics-none faint">
          <Icon icon={CircleCheck} />
          <span>Nothing is wrong with this text.</span>
        </p>
      ) : (
        <ul>
          {diagnostics.map(({ severity, message, line = 1, column, code }, index) => (
            <li key={`${index}-${code}`} class={`policy-diagnostic policy-diagnostic-${severity}`}>
              <Icon icon={severity === 'error' ? CircleX : TriangleAlert} />
              <button type="button" class="policy-link" onClick={() => onGo(line)}>
                Line {line}
                {column !== undefined && `, column ${column}`}
              </button>
              <span>
                <span class="visually-hidden">{severity}: </span>
                <Name>{message}</Name>
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
