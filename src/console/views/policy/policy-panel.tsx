import { FileX, GitCompare, RotateCcw, Save, Trash2 } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import type { PolicyDocument } from '../../../policy/policy-requests.ts';
import type { FileSearchResult } from '../../../supplementary/supplementary-item.ts';
import type { ValidateResult } from '../../../validation/diagnostic.ts';
import { request } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import { Button, IconButton } from '../../elements/button.tsx';
import { Confirm } from '../../elements/dialog.tsx';
import { EmptyState, Notice, Panel, ProblemNotice } from '../../elements/panel.tsx';
import { FilePath } from '../../elements/text.tsx';
import { attempt } from '../../elements/toasts.tsx';
import { ConflictPanel } from './conflict-panel.tsx';
import { DiagnosticList } from './diagnostic-list.tsx';
import { type Draft, draftOf, keepDraft } from './drafts.ts';
import { removePolicy, replaceDraft, savePolicy } from './policy-actions.ts';
import { directoryOf, type PolicyPlace, relativeTo, wantedLine } from './policy-place.ts';
import { PolicyTextField } from './policy-text-field.tsx';
import { PreviewPanel, useRested } from './preview-panel.tsx';
import { TextDiffView } from './text-diff-view.tsx';

type PolicyPanelProps = {
  place: PolicyPlace;
  /** The file as it lies there; undefined where there is none. */
  document: PolicyDocument | undefined;
  reload: () => void;
};

/** The text of one policy, with what is wrong in it, what it would do, and what others did to the file meanwhile. */
export function PolicyPanel({ place, document, reload }: PolicyPanelProps) {
  const { mountedDirectory, path } = place;
  const draft = draftOf(mountedDirectory, path);
  const isConflict = draft !== undefined && draft.etag !== document?.etag;
  const isSettled = draft !== undefined && draft.text === document?.text;
  useEffect(() => {
    // Whoever wrote it, what is typed is what is there; a key may have been pressed since.
    if (isSettled && draftOf(mountedDirectory, path) === draft) keepDraft(mountedDirectory, path, undefined);
  }, [isSettled, draft, mountedDirectory, path]);
  if (draft === undefined && document === undefined)
    return (
      <Panel title="Policy">
        <EmptyState icon={FileX} title="There is no policy file here">
          <FilePath path={path} /> was removed, or never was. Choose another, or begin a new one.
        </EmptyState>
      </Panel>
    );
  if (document !== undefined && document.etag === undefined)
    return (
      <Panel title={<FilePath path={relativeTo(mountedDirectory, path)} />}>
        <EmptyState icon={FileX} title="This policy cannot be opened, which blocks everything below">
          It is a link, a directory, or may not be read. Put a regular file in its place: <FilePath path={path} />
        </EmptyState>
      </Panel>
    );
  return <PolicyEditor {...{ place, document, reload }} draft={draft} conflict={isConflict && !isSettled} />;
}

type PolicyEditorProps = PolicyPanelProps & { draft: Draft | undefined; conflict: boolean };

function PolicyEditor({ place, document, draft, conflict, reload }: PolicyEditorProps) {
  const { mountedDirectory, path } = place;
  const directory = directoryOf(path);
  const text = draft?.text ?? document?.text ?? '';
  const [isBusy, setIsBusy] = useState(false);
  const [isComparing, setIsComparing] = useState(false);
  const [isRemoving, setIsRemoving] = useState(false);
  const checkedText = useRested(text, 200);
  const validation = useResource(`validate\n${path}\n${checkedText}`, (signal) =>
    request<ValidateResult>('/v1/config/validate', {
      body: { kind: 'ai-context-policy', content: checkedText, path },
      signal,
    }),
  );
  const diagnostics = validation.value?.diagnostics ?? [];
  const isChecked = validation.value !== undefined && !validation.isStale && checkedText === text;
  const wanted = wantedLine.value?.path === path ? wantedLine.value : undefined;
  const [goTo, setGoTo] = useState<{ line: number; turn: number }>();
  useEffect(() => {
    if (wanted === undefined) return;
    setGoTo({ line: wanted.line, turn: (goTo?.turn ?? 0) + 1 });
    wantedLine.value = undefined;
  }, [wanted]);

  const type = (typed: string) =>
    keepDraft(mountedDirectory, path, {
      text: typed,
      // What is typed from now on replaces what is shown now.
      etag: draft === undefined ? document?.etag : draft.etag,
    });
  const save = async (etag: string | undefined) => {
    setIsBusy(true);
    await attempt(async () => {
      if (!(await savePolicy(place, { text, etag }, document))) reload();
    });
    setIsBusy(false);
  };
  const remove = () =>
    attempt(async () => {
      if (document !== undefined) await removePolicy(place, document);
    });
  const discard = (words: string) => replaceDraft(place, undefined, words);
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
        note={
          <span role="status">{isDirty ? (document === undefined ? 'new, not saved' : 'not saved') : 'saved'}</span>
        }
        class="policy-editor"
        actions={
          <>
            <IconButton
              icon={GitCompare}
              label="Compare with the saved file"
              pressed={isComparing}
              disabled={!isDirty || conflict || document?.text === undefined}
              onClick={() => setIsComparing(!isComparing)}
            />
            <IconButton
              icon={RotateCcw}
              label="Discard what was typed"
              disabled={!isDirty || conflict}
              onClick={() => discard(`Discarded what was typed for ${shown}`)}
            />
            <IconButton
              icon={Trash2}
              label="Remove this policy"
              disabled={document === undefined || isBusy}
              onClick={() => (document?.text === undefined ? setIsRemoving(true) : void remove())}
            />
            <Button icon={Save} kind="primary" disabled={!canSave} onClick={saveByKey} title="Ctrl S in the text">
              Save
            </Button>
          </>
        }
      >
        <div class="stack">
          {conflict && draft !== undefined && (
            <ConflictPanel
              document={document}
              text={text}
              isBusy={isBusy}
              onKeep={() => void save(document?.etag)}
              onTake={() => discard('Took the version that is on the disk')}
              onGoOn={() => keepDraft(mountedDirectory, path, { text, etag: document?.etag })}
            />
          )}
          {document !== undefined && document.text === undefined && (
            <Notice>
              This file is too large or no text, and blocks everything below. What you save here takes its place.
            </Notice>
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
            findFiles={async (query) => {
              const body = { mountedDirectory: directory, query: query.slice(0, 256), limit: 200 };
              const { files } = await request<FileSearchResult>('/v1/workspace/files/search', { body });
              return files.map(({ relativePath }) => relativePath);
            }}
          />
          <DiagnosticList diagnostics={diagnostics} onGo={(line) => setGoTo({ line, turn: (goTo?.turn ?? 0) + 1 })} />
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
        <Confirm
          title="Remove this file?"
          deed="Remove it"
          onClose={() => setIsRemoving(false)}
          onConfirm={() => void remove()}
        >
          <p>It cannot be read as text, so it cannot be put back.</p>
        </Confirm>
      )}
    </>
  );
}
