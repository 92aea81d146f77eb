import { TriangleAlert } from 'lucide';
import type { PolicyDocument } from '../../../policy/policy-requests.ts';
import { Button } from '../../elements/button.tsx';
import { Icon } from '../../elements/icon.tsx';
import { TextDiffView } from './text-diff-view.tsx';

type ConflictPanelProps = {
  /** The present file. Undefined if it was removed. */
  document: PolicyDocument | undefined;
  text: string;
  isBusy: boolean;
  onKeep: () => void;
  onTake: () => void;
  onGoOn: () => void;
};

/** Somebody wrote the file during the editing. Shows both versions, and the choices. None of them loses anything. */
export function ConflictPanel({ document, text, isBusy, onKeep, onTake, onGoOn }: ConflictPanelProps) {
  return (
    <section class="policy-conflict" aria-label="Conflict">
      <p class="policy-conflict-title" role="alert">
        <Icon icon={TriangleAlert} />
        <span>
          {document === undefined
            ? 'The file was removed while you were editing it. Your text is still here.'
            : 'The file was changed while you were editing it. Your text is still here.'}
        </span>
      </p>
      {document?.text !== undefined && (
        <>
          <p class="faint">
            <span class="policy-diff-old">− only in the saved file</span>{' '}
            <span class="policy-diff-new">+ only in your text</span>
          </p>
          <TextDiffView label="The saved file and your text" before={document.text} after={text} />
        </>
      )}
      <div class="cluster">
        <Button kind="primary" disabled={isBusy} onClick={onKeep}>
          {document === undefined ? 'Save mine again' : 'Save mine over it'}
        </Button>
        <Button onClick={onTake}>{document === undefined ? 'Discard mine' : 'Use the saved one'}</Button>
        <Button kind="quiet" onClick={onGoOn}>
          Continue editing mine
        </Button>
      </div>
    </section>
  );
}
