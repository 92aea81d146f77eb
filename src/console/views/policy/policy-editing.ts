/** State and actions of editing the text of a policy. */
import { useEffect, useState } from 'preact/hooks';
import type { PolicyDocument } from '../../../policy/policy-requests.ts';
import type { ValidateResult } from '../../../validation/diagnostic.ts';
import { searchFiles } from '../../api/files.ts';
import { request } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import { attempt } from '../../elements/toasts.tsx';
import { useRested } from '../../rested.ts';
import { type Draft, keepDraft } from './drafts.ts';
import { removePolicy, replaceDraft, savePolicy } from './policy-actions.ts';
import { type PolicyPlace, wantedLine } from './policy-place.ts';

/** The findings in a text. `isChecked`: they are for the present text. */
export function useValidation(path: string, text: string) {
  const checkedText = useRested(text, 200);
  const validation = useResource(`validate\n${path}\n${checkedText}`, (signal) =>
    request<ValidateResult>('/v1/config/validate', {
      body: { kind: 'ai-context-policy', content: checkedText, path },
      signal,
    }),
  );
  const diagnostics = validation.value?.diagnostics ?? [];
  const isChecked = validation.value !== undefined && !validation.isStale && checkedText === text;
  return { validation, diagnostics, isChecked };
}

/** Where the cursor must go: to a requested line of this policy, or to a chosen finding. */
export function useGoTo(path: string) {
  const wanted = wantedLine.value?.path === path ? wantedLine.value : undefined;
  const [goTo, setGoTo] = useState<{ line: number; turn: number }>();
  const goToLine = (line: number) => setGoTo({ line, turn: (goTo?.turn ?? 0) + 1 });
  useEffect(() => {
    if (wanted === undefined) return;
    goToLine(wanted.line);
    wantedLine.value = undefined;
  }, [wanted]);
  return { goTo, goToLine };
}

type Edited = {
  place: PolicyPlace;
  document: PolicyDocument | undefined;
  draft: Draft | undefined;
  reload: () => void;
};

/** Typing, saving, removing and discarding. */
export function useEditing({ place, document, draft, reload }: Edited) {
  const { mountedDirectory, path } = place;
  const text = draft?.text ?? document?.text ?? '';
  const [isBusy, setIsBusy] = useState(false);
  const type = (typed: string) =>
    keepDraft(mountedDirectory, path, {
      text: typed,
      // The typed text replaces the version that is shown now.
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
  return { isBusy, type, save, remove, discard };
}

export async function findFiles(mountedDirectory: string, query: string): Promise<string[]> {
  const { files } = await searchFiles({ mountedDirectory, query, limit: 200 });
  return files.map(({ relativePath }) => relativePath);
}
