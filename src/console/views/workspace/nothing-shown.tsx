import { ListFilter, Repeat2 } from 'lucide';
import type { ResolveResult } from '../../../context/resolve-result.ts';
import { visibleText } from '../../../texts/visible-text.ts';
import { Button } from '../../elements/button.tsx';
import { EmptyState } from '../../elements/panel.tsx';
import { setParams } from '../../route.ts';
import type { Show } from './resolution-rows.ts';

/** Says why the list is empty, and what to do about it. */
export function NothingShown({ result, find, show }: { result: ResolveResult; find: string; show: Show }) {
  const notRead = result.warnings.find(({ code }) => code === 'formats_not_read');
  if (result.files.length + result.excluded.length === 0 && notRead !== undefined)
    return (
      <EmptyState
        icon={ListFilter}
        title="No context file applies here"
        action={
          <Button onClick={() => setParams({ by: 'tool', show: undefined, find: undefined })}>Group by tool</Button>
        }
      >
        {visibleText(notRead.message)}
      </EmptyState>
    );
  if (result.files.length + result.excluded.length === 0)
    return (
      <EmptyState icon={ListFilter} title="No context file applies here">
        Write one in the mounted directory, such as <code>.context/style.rule.md</code> or <code>AGENTS.md</code>; it
        appears here at once.
      </EmptyState>
    );
  return (
    <EmptyState
      icon={ListFilter}
      title={find === '' ? emptyWords[show] : 'No name or path matches'}
      action={
        <Button icon={Repeat2} onClick={() => setParams({ find: undefined, show: undefined })}>
          Show all
        </Button>
      }
    />
  );
}

const emptyWords: Record<Show, string> = {
  all: 'No context file applies here',
  active: 'No file is active',
  available: 'No file is waiting',
  excluded: 'Nothing was left out',
  text: 'The model gets no text from here',
};
