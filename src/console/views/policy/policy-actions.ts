/** What is done to policy files, each with a way back. */
import type { PolicyDocument } from '../../../policy/policy-requests.ts';
import { asProblem, request } from '../../api/request.ts';
import { notify } from '../../elements/toasts.tsx';
import { keepDraft } from './drafts.ts';
import { directoryOf, nameOf, type PolicyPlace, relativeTo } from './policy-place.ts';

/** Writes a whole file over the version of this etag, or where there is none. Throws `Problem`. */
async function write({ mountedDirectory, path }: PolicyPlace, text: string, etag: string | undefined) {
  return request<PolicyDocument>('/v1/policy', {
    method: 'PUT',
    body: { mountedDirectory, directory: directoryOf(path), name: nameOf(path), text },
    headers: etag === undefined ? { 'if-none-match': '*' } : { 'if-match': `"${etag}"` },
  });
}

async function remove({ mountedDirectory, path }: PolicyPlace, etag: string): Promise<void> {
  await request('/v1/policy', {
    method: 'DELETE',
    query: { mountedDirectory, directory: directoryOf(path) },
    headers: { 'if-match': `"${etag}"` },
  });
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
  let saved: PolicyDocument;
  try {
    saved = await write(place, wanted.text, wanted.etag);
  } catch (error) {
    if (asProblem(error).code === 'version_mismatch') return undefined;
    throw error;
  }
  const undo = async () => {
    if (before === undefined) {
      await remove(place, saved.etag ?? '');
      // What was typed is not lost with the file.
      keepDraft(place.mountedDirectory, place.path, { text: wanted.text, removedEtag: saved.etag });
    } else await write(place, before.text ?? '', saved.etag);
  };
  const isUndoable = before === undefined || before.text !== undefined;
  notify(`Saved ${shownName(place)}`, isUndoable ? undo : undefined);
  return saved;
}

/** Removes a file whose text is known, which can be undone. */
export async function removePolicy(place: PolicyPlace, document: PolicyDocument): Promise<void> {
  await remove(place, document.etag ?? '');
  keepDraft(place.mountedDirectory, place.path, undefined);
  const { text } = document;
  notify(`Removed ${shownName(place)}`, text === undefined ? undefined : () => write(place, text, undefined));
}
