import { useState } from 'preact/hooks';
import type { Warning } from '../../warnings.ts';
import { Button } from './button.tsx';
import { Panel } from './panel.tsx';
import { count, countOf } from './text.tsx';
import { WarningList } from './warnings.tsx';

const atOnce = 30;

/** Mistakes in files, and limits. Shows the first ones first. */
export function WarningsPanel({ warnings }: { warnings: readonly Warning[] }) {
  const [shown, setShown] = useState(atOnce);
  return (
    <Panel title="Warnings" note={warnings.length === 0 ? 'none' : countOf(warnings.length, 'warning')}>
      {warnings.length === 0 ? (
        <p class="faint">There are no problems in the files that were read.</p>
      ) : (
        <WarningList warnings={warnings.slice(0, shown)} />
      )}
      {warnings.length > shown && (
        <Button kind="quiet" onClick={() => setShown(shown + 10 * atOnce)}>
          Show more of {count(warnings.length)}
        </Button>
      )}
    </Panel>
  );
}
