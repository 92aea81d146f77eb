/** Changes policy files. Each change can be undone. */
import { parentPath } from '../../../access/paths.ts';
import type { PolicyDocument } from '../../../policy/policy-requests.ts';
import { asProblem, request } from '../../api/request.ts';
import { notify } from '../../elements/toasts.tsx';
import { relativeTo } from '../../paths.ts';
import { type Draft, draftOf, keepDraft } from './drafts.ts';
import { nameOf, type PolicyPlace } from './policy-place.ts';
import { noteChange } from './recent-changes.ts';

/** Writes a whole file over the version with this etag, or a new file. Throws `Problem`. */
function write({ mountedDirectory, path }: PolicyPlace, text: string, etag: string | undefined) {
  return request<PolicyDocument>('/v1/policy', {
    method: 'PUT',
    body: { mountedDirectory, directory: parentPath(path), name: nameOf(path), text },
    headers: etag === undefined ? { 'if-none-match': '*' } : { 'if-match': `"${etag}"` },
  });
}

/**
 * Removes the file that was shown. Throws `Problem`. If it may be removed in spite of the error, its text is kept as a
 * draft.
 */
async function remove(place: PolicyPlace, { etag = '', text }: PolicyDocument): Promise<void> {
  const { mountedDirectory, path } = place;
  try {
    await request('/v1/policy', {
      method: 'DELETE',
      query: { mountedDirectory, directory: parentPath(path), name: nameOf(path) },
      headers: { 'if-match': `"${etag}"` },
    });
  } catch (error) {
    if (text !== undefined && isUnknown(error)) {
      keepText(place, { text });
      // The next list shows whether the file is gone. If it is not, a draft with the same text is dropped.
      noteChange(path, undefined);
    }
    throw error;
  }
}

/** Whether the change may have been made in spite of the error. */
function isUnknown(error: unknown): boolean {
  const { status, errors } = asProblem(error);
  // An overloaded daemon did not begin. A failing disk names the directory.
  if (status === 503 && errors.length === 0) return false;
  return status < 400 || status >= 500;
}

const shownName = ({ mountedDirectory, path }: PolicyPlace) => relativeTo(mountedDirectory, path);

/** Replaces the draft, or removes it. The typed text can be restored with Undo. */
export function replaceDraft(place: PolicyPlace, draft: Draft | undefined, words: string): void {
  const { mountedDirectory, path } = place;
  const before = draftOf(mountedDirectory, path);
  keepDraft(mountedDirectory, path, draft);
  if (before !== undefined)
    notify(words, async () => replaceDraft(place, before, `Restored an earlier text of ${shownName(place)}`));
}

/**
 * Keeps a text as a draft, because no file may have it any more. If there is a `typed` text, that one stays, and the
 * other can be restored with Undo.
 */
function keepText(place: PolicyPlace, draft: Draft, typed = draftOf(place.mountedDirectory, place.path)): void {
  keepDraft(place.mountedDirectory, place.path, draft);
  if (typed !== undefined)
    replaceDraft(place, typed, `Kept your text for ${shownName(place)}, not the text of the file`);
}

/**
 * Saves a text over the version that was shown. `before`: the file that it replaces, for the undo. False if somebody
 * else wrote the file meanwhile. Throws `Problem` for everything else.
 */
export async function savePolicy(
  place: PolicyPlace,
  wanted: { text: string; etag: string | undefined },
  before: PolicyDocument | undefined,
): Promise<boolean> {
  const { mountedDirectory, path } = place;
  let saved: PolicyDocument;
  try {
    saved = await write(place, wanted.text, wanted.etag);
  } catch (error) {
    if (asProblem(error).code === 'version_mismatch') return false;
    throw error;
  }
  const typed = draftOf(mountedDirectory, path)?.text;
  // Text that was typed during the saving is a draft for the new version.
  const isMore = typed !== undefined && typed !== wanted.text;
  keepDraft(mountedDirectory, path, isMore ? { text: typed, etag: saved.etag } : undefined);
  noteChange(path, saved);
  const undo = async () => {
    if (before === undefined) {
      await remove(place, saved);
      // The typed text stays when the file is removed.
      keepDraft(mountedDirectory, path, { text: draftOf(mountedDirectory, path)?.text ?? wanted.text });
      noteChange(path, undefined);
      return;
    }
    const { text = '' } = before;
    try {
      noteChange(path, await write(place, text, saved.etag));
    } catch (error) {
      // For example, a file that was unusable cannot be written again.
      keepText(place, { text, etag: saved.etag });
      throw error;
    }
  };
  const isUndoable = before === undefined || before.text !== undefined;
  notify(`Saved ${shownName(place)}`, isUndoable ? undo : undefined);
  return true;
}

/** Removes a file. If its text is known, this can be undone, including the draft for it. */
export async function removePolicy(place: PolicyPlace, document: PolicyDocument): Promise<void> {
  const { mountedDirectory, path } = place;
  await remove(place, document);
  const draft = draftOf(mountedDirectory, path);
  keepDraft(mountedDirectory, path, undefined);
  noteChange(path, undefined);
  const { text = '' } = document;
  const undo = async () => {
    let written: PolicyDocument;
    try {
      written = await write(place, text, undefined);
    } catch (error) {
      // The draft for the removed file has no version any more.
      keepText(place, { text }, draftOf(mountedDirectory, path) ?? (draft && { text: draft.text }));
      throw error;
    }
    if (draft !== undefined && draftOf(mountedDirectory, path) === undefined)
      keepDraft(mountedDirectory, path, { ...draft, etag: draft.etag === document.etag ? written.etag : draft.etag });
    noteChange(path, written);
  };
  notify(`Removed ${shownName(place)}`, document.text === undefined ? undefined : undo);
}
