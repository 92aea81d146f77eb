/** What is done to policy files, each with a way back. */
import type { PolicyDocument } from '../../../policy/policy-requests.ts';
import { asProblem, request } from '../../api/request.ts';
import { notify } from '../../elements/toasts.tsx';
import { draftOf, keepDraft } from './drafts.ts';
import { directoryOf, nameOf, type PolicyPlace, relativeTo } from './policy-place.ts';
import { noteRemoval, noteWritten } from './recent-changes.ts';

/** Writes a whole file over the version of this etag, or where there is none. Throws `Problem`. */
async function write(place: PolicyPlace, text: string, etag: string | undefined): Promise<PolicyDocument> {
  const { mountedDirectory, path } = place;
  const document = await request<PolicyDocument>('/v1/policy', {
    method: 'PUT',
    body: { mountedDirectory, directory: directoryOf(path), name: nameOf(path), text },
    headers: etag === undefined ? { 'if-none-match': '*' } : { 'if-match': `"${etag}"` },
  });
  noteWritten(place, document);
  return document;
}

function remove(place: PolicyPlace, etag: string): Promise<void> {
  const { mountedDirectory, path } = place;
  return noteRemoval(place, () =>
    request('/v1/policy', {
      method: 'DELETE',
      query: { mountedDirectory, directory: directoryOf(path), name: nameOf(path) },
      headers: { 'if-match': `"${etag}"` },
    }),
  );
}

const shownName = ({ mountedDirectory, path }: PolicyPlace) => relativeTo(mountedDirectory, path);

/**
 * Saves a text over the version that was seen. `before` is the file that it replaces, for the way back. Undefined when
 * somebody else wrote meanwhile; throws `Problem` for everything else.
 */
export async function savePolicy(
  place: PolicyPlace,
  wanted: { text: string; etag: string | undefined },
  before: PolicyDocument | undefined,
): Promise<PolicyDocument | undefined> {
  const { mountedDirectory, path } = place;
  let saved: PolicyDocument;
  try {
    saved = await write(place, wanted.text, wanted.etag);
  } catch (error) {
    if (asProblem(error).code === 'version_mismatch') return undefined;
    throw error;
  }
  const undo = async () => {
    if (before !== undefined) return write(place, before.text ?? '', saved.etag);
    // What was typed is not lost with the file.
    const text = draftOf(mountedDirectory, path)?.text ?? wanted.text;
    keepDraft(mountedDirectory, path, { text });
    try {
      return await remove(place, saved.etag ?? '');
    } catch (error) {
      keepDraft(mountedDirectory, path, { text, etag: saved.etag });
      throw error;
    }
  };
  const isUndoable = before === undefined || before.text !== undefined;
  notify(`Saved ${shownName(place)}`, isUndoable ? undo : undefined);
  return saved;
}

/** Removes a file; where its text is known, that can be undone, and brings back what was typed over it, too. */
export async function removePolicy(place: PolicyPlace, document: PolicyDocument): Promise<void> {
  const { mountedDirectory, path } = place;
  const draft = draftOf(mountedDirectory, path);
  keepDraft(mountedDirectory, path, undefined);
  const bringBack = () => {
    if (draftOf(mountedDirectory, path) === undefined) keepDraft(mountedDirectory, path, draft);
  };
  try {
    await remove(place, document.etag ?? '');
  } catch (error) {
    bringBack();
    throw error;
  }
  const { text } = document;
  const undo = async () => {
    await write(place, text ?? '', undefined);
    bringBack();
  };
  notify(`Removed ${shownName(place)}`, text === undefined ? undefined : undo);
}
