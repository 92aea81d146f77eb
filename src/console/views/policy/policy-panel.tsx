import { FileX, GitCompare, RotateCcw, Save, Trash2 } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { parentPath } from '../../../access/paths.ts';
import type { PolicyDocument } from '../../../policy/policy-requests.ts';
import { Button, IconButton } from '../../elements/button.tsx';
import { Confirm } from '../../elements/dialog.tsx';
import { EmptyState, Notice, Panel, ProblemNotice } from '../../elements/panel.tsx';
import { FilePath } from '../../elements/text.tsx';
import { relativeTo } from '../../paths.ts';
import { ConflictPanel } from './conflict-panel.tsx';
import { DiagnosticList } from './diagnostic-list.tsx';
import { type Draft, draftOf, keepDraft } from './drafts.ts';
import { findFiles, useEditing, useGoTo, useValidation } from './policy-editing.ts';
import type { PolicyPlace } from './policy-place.ts';
import { PolicyTextField } from './policy-text-field.tsx';
import { PreviewPanel } from './preview-panel.tsx';
import { TextDiffView } from './text-diff-view.tsx';

type PolicyPanelProps = {
  place: PolicyPlace;
  /** The present file. Undefined if there is none. */
  document: PolicyDocument | undefined;
  reload: () => void;
};

/** The text of one policy, with its findings, its effects, and changes by others. */
export function PolicyPanel(props: PolicyPanelProps) {
  const { document } = props;
  const { mountedDirectory, path } = props.place;
  const draft = draftOf(mountedDirectory, path);
  const isConflict = draft !== undefined && draft.etag !== document?.etag;
  const isSettled = draft !== undefined && draft.text === document?.text;
  useEffect(() => {
    // If the draft equals the file, it is dropped, whoever wrote the file. But a key may have been pressed since.
    if (isSettled && draftOf(mountedDirectory, path) === draft) keepDraft(mountedDirectory, path, undefined);
  }, [isSettled, draft, mountedDirectory, path]);
  if (draft === undefined && document === undefined)
    return (
      <Panel title="Policy">
        <EmptyState icon={FileX} title="There is no policy file here">
          <FilePath path={path} /> was removed or never existed. Choose another policy, or begin a new one.
        </EmptyState>
      </Panel>
    );
  if (document !== undefined && document.etag === undefined)
    return (
      <Panel title={<FilePath path={relativeTo(mountedDirectory, path)} />}>
        <EmptyState icon={FileX} title="This policy cannot be opened, so everything below is blocked">
          It is a link, a directory, or not readable. Put a regular file in its place: <FilePath path={path} />
        </EmptyState>
      </Panel>
    );
  return <PolicyEditor {...props} draft={draft} conflict={isConflict && !isSettled} />;
}

type PolicyEditorProps = PolicyPanelProps & { draft: Draft | undefined; conflict: boolean };

function PolicyEditor({ place, document, draft, conflict, reload }: PolicyEditorProps) {
  const { mountedDirectory, path } = place;
  const text = draft?.text ?? document?.text ?? '';
  const [isComparing, setIsComparing] = useState(false);
  const [isRemoving, setIsRemoving] = useState(false);
  const { validation, diagnostics, isChecked } = useValidation(path, text);
  const { goTo, goToLine } = useGoTo(path);
  const { isBusy, type, save, remove, discard } = useEditing({ place, document, draft, reload });
  const isDirty = draft !== undefined;
  const canSave = isDirty && !isBusy && !conflict;
  const shown = relativeTo(mountedDirectory, path);
  const saveByKey = () => {
    if (canSave) void save(draft.etag);
  };
  return (
    <>
      <Panel
        title={<FilePath path={shown} />}
        note={<span role="status">{savedWords(document, isDirty)}</span>}
        actions={
          <EditorActions
            document={document}
            isComparing={isComparing}
            isBusy={isBusy}
            canSave={canSave}
            canDiscard={isDirty && !conflict}
            onCompare={() => setIsComparing(!isComparing)}
            onDiscard={() => discard(`Discarded your text for ${shown}`)}
            onRemove={() => (document?.text === undefined ? setIsRemoving(true) : void remove())}
            onSave={saveByKey}
          />
        }
      >
        <div class="stack">
          {conflict && draft !== undefined && (
            <ConflictPanel
              document={document}
              text={text}
              isBusy={isBusy}
              onKeep={() => void save(document?.etag)}
              onTake={() => discard('Loaded the version on the disk')}
              onGoOn={() => keepDraft(mountedDirectory, path, { text, etag: document?.etag })}
            />
          )}
          {document !== undefined && document.text === undefined && (
            <Notice>This file is too large or not text, and blocks everything below. Saving here replaces it.</Notice>
          )}
          {isComparing && !conflict && isDirty && document?.text !== undefined && (
            <TextDiffView label="Saved and typed text" before={document.text} after={text} />
          )}
          <PolicyTextField
            key={path}
            label={`Text of the policy ${shown}`}
            value={text}
            newest={() => draftOf(mountedDirectory, path)?.text ?? document?.text ?? ''}
            onInput={type}
            onSave={saveByKey}
            diagnostics={diagnostics}
            goTo={goTo}
            findFiles={(query) => findFiles(parentPath(path), query)}
          />
          <DiagnosticList diagnostics={diagnostics} onGo={goToLine} />
          {validation.problem !== undefined && (
            <ProblemNotice problem={validation.problem} onRetry={validation.reload} />
          )}
        </div>
      </Panel>
      <PreviewPanel
        place={place}
        text={text}
        findings={isChecked ? diagnostics : undefined}
        etag={document?.etag}
        isEdited={isDirty}
      />
      {isRemoving && document !== undefined && (
        <ConfirmRemoval onClose={() => setIsRemoving(false)} onConfirm={() => void remove()} />
      )}
    </>
  );
}

type EditorActionsProps = Pick<PolicyPanelProps, 'document'> & {
  isComparing: boolean;
  isBusy: boolean;
  canSave: boolean;
  canDiscard: boolean;
  onCompare: () => void;
  onDiscard: () => void;
  onRemove: () => void;
  onSave: () => void;
};

function EditorActions(props: EditorActionsProps) {
  const { isComparing, isBusy, canSave, canDiscard, document, onCompare, onDiscard, onRemove, onSave } = props;
  return (
    <>
      <IconButton
        icon={GitCompare}
        label="Compare with the saved file"
        pressed={isComparing}
        disabled={!canDiscard || document?.text === undefined}
        onClick={onCompare}
      />
      <IconButton icon={RotateCcw} label="Discard your text" disabled={!canDiscard} onClick={onDiscard} />
      <IconButton
        icon={Trash2}
        label="Remove this policy"
        disabled={document === undefined || isBusy}
        onClick={onRemove}
      />
      <Button icon={Save} kind="primary" disabled={!canSave} onClick={onSave} title="Ctrl S in the text">
        Save
      </Button>
    </>
  );
}

function savedWords(document: PolicyDocument | undefined, isDirty: boolean): string {
  if (!isDirty) return 'saved';
  return document === undefined ? 'new, not saved' : 'not saved';
}

function ConfirmRemoval(deeds: { onClose: () => void; onConfirm: () => void }) {
  return (
    <Confirm title="Remove this file?" deed="Remove it" {...deeds}>
      <p>It cannot be read as text, so it cannot be restored.</p>
    </Confirm>
  );
}
