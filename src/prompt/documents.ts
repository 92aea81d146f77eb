/** The open documents of an editor: their paths and unsaved texts. */
import type { Unsaved } from '../access/gate.ts';
import { isPolicyFile } from '../access/policy-file-names.ts';
import type { World } from '../access/world.ts';
import { placePath } from '../context/normalize-request.ts';
import { directoryOfIgnoreFile } from '../ignore/ignore-kinds.ts';
import type { Caller } from '../ports/caller.ts';
import type { Warning } from '../warnings.ts';
import type { OpenDocument } from './context-request.ts';

/**
 * The documents with paths below the mounted directory's name, the active one first. Throws `invalid_request` for an
 * invalid path.
 */
export async function placeDocuments(documents: readonly OpenDocument[], world: World): Promise<OpenDocument[]> {
  const placed: OpenDocument[] = [];
  for (const [at, document] of documents.entries())
    placed.push({ ...document, path: await world.placing(placePath(document.path, `/documents/${at}/path`, world)) });
  const active = placed.find(({ isActive }) => isActive === true);
  return active === undefined ? placed : [active, ...placed.filter((document) => document !== active)];
}

/**
 * The unsaved texts. If a document comes twice, the first one counts. An agent cannot allow files by an unsaved policy
 * or ignore file: for these, the saved text counts.
 */
export function unsavedOf(
  documents: readonly OpenDocument[],
  caller: Caller,
): { unsaved: Unsaved; warnings: Warning[] } {
  const texts = new Map<string, string>();
  const warnings: Warning[] = [];
  const decides = caller.scope === 'user';
  for (const { path, content } of documents) {
    if (content === undefined || texts.has(path)) continue;
    texts.set(path, content);
    if (!isPolicyFile(path) && directoryOfIgnoreFile(path) === undefined) continue;
    if (decides) continue;
    const message = 'The saved text of this file is used: an agent token cannot replace it.';
    warnings.push({ code: 'unsaved_policy', message, path });
  }
  return { unsaved: { texts, decides }, warnings };
}
