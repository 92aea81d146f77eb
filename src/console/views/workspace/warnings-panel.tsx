import { useState } from 'preact/hooks';
import type { Warning } from '../../../warnings.ts';
import { Button } from '../../elements/button.tsx';
import { Panel } from '../../elements/panel.tsx';
import { count } from '../../elements/text.tsx';
import { WarningList } from '../../elements/warnings.tsx';

const atOnce = 30;

/** Mistakes in files and limits, the first ones first. */
export function WarningsPanel({ warnings }: { warnings: readonly Warning[] }) {
  const [shown, setShown] = useState(atOnce);
  return (
    <Panel title="Warnings" note={warnings.length === 0 ? 'none' : count(warnings.length)}>
      {warnings.length === 0 ? (
        <p class="faint">Every file on the way could be understood.</p>
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
