/** What is done to policy files, each with a way back. */
import type { PolicyDocument } from '../../../policy/policy-requests.ts';
import { asProblem, request } from '../../api/request.ts';
import { notify } from '../../elements/toasts.tsx';
import { draftOf, keepDraft } from './drafts.ts';
import { directoryOf, nameOf, type PolicyPlace, relativeTo } from './policy-place.ts';
import { noteChange } from './recent-changes.ts';

/** Writes a whole file over the version of this etag, or where there is none. Throws `Problem`. */
function write({ mountedDirectory, path }: PolicyPlace, text: string, etag: string | undefined) {
  return request<PolicyDocument>('/v1/policy', {
    method: 'PUT',
    body: { mountedDirectory, directory: directoryOf(path), name: nameOf(path), text },
    headers: etag === undefined ? { 'if-none-match': '*' } : { 'if-match': `"${etag}"` },
  });
}

async function remove({ mountedDirectory, path }: PolicyPlace, etag: string): Promise<void> {
  await request('/v1/policy', {
    method: 'DELETE',
    query: { mountedDirectory, directory: directoryOf(path), name: nameOf(path) },
    headers: { 'if-match': `"${etag}"` },
  });
}

const shownName = ({ mountedDirectory, path }: PolicyPlace) => relativeTo(mountedDirectory, path);

/**
 * Saves a text over the version that was seen. `before` is the file that it replaces, for the way back. False when
 * somebody else wrote meanwhile; throws `Problem` for everything else.
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
  // What was typed while it was being saved is a draft of the new version.
  const isMore = typed !== undefined && typed !== wanted.text;
  keepDraft(mountedDirectory, path, isMore ? { text: typed, etag: saved.etag } : undefined);
  noteChange(path, saved);
  const undo = async () => {
    if (before !== undefined) return noteChange(path, await write(place, before.text ?? '', saved.etag));
    const failure: unknown = await remove(place, saved.etag ?? '').catch((error: unknown) => error);
    if (failure !== undefined && asProblem(failure).code !== 'unreachable') throw failure;
    // What was typed is not lost with the file. Where the answer was lost, the next list says whether the file was.
    keepDraft(mountedDirectory, path, { text: draftOf(mountedDirectory, path)?.text ?? wanted.text });
    noteChange(path, undefined);
    if (failure !== undefined) throw failure;
  };
  const isUndoable = before === undefined || before.text !== undefined;
  notify(`Saved ${shownName(place)}`, isUndoable ? undo : undefined);
  return true;
}

/** Removes a file; where its text is known, that can be undone, and brings back what was typed over it, too. */
export async function removePolicy(place: PolicyPlace, document: PolicyDocument): Promise<void> {
  const { mountedDirectory, path } = place;
  await remove(place, document.etag ?? '');
  const draft = draftOf(mountedDirectory, path);
  keepDraft(mountedDirectory, path, undefined);
  noteChange(path, undefined);
  const { text } = document;
  const undo = async () => {
    const written = await write(place, text ?? '', undefined);
    if (draft !== undefined && draftOf(mountedDirectory, path) === undefined)
      keepDraft(mountedDirectory, path, { ...draft, etag: draft.etag === document.etag ? written.etag : draft.etag });
    noteChange(path, written);
  };
  notify(`Removed ${shownName(place)}`, text === undefined ? undefined : undo);
}
