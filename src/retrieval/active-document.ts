/** The active document: whether it may be used, and what it imports (RT-01, RT-02, AP-06). */

import { refusalCodeOf } from '../access/content-policy.ts';
import { isInside } from '../access/paths.ts';
import { liesInRoots, realNamesOf } from '../access/reach.ts';
import { decideSensitive } from '../access/sensitive.ts';
import type { World } from '../access/world.ts';
import { refusalReason } from '../context/path-rules.ts';
import { outsideMounted } from '../context/placing.ts';
import { nextTurn } from '../pace/turns.ts';
import { isNotebook, notebookText } from '../texts/notebook.ts';
import type { Reason, Warning } from '../warnings.ts';
import { type Attention, attentionTo, type Focus, sortByAttention } from './attention.ts';
import { type ActiveDocument, findImportTargets } from './automatic-imports.ts';
import type { ImportTarget } from './imports/import.ts';
import { languageOf } from './imports/languages.ts';
import { unsupportedLanguageOf } from './imports/unsupported-languages.ts';
import type { RetrieveRequest } from './retrieve-request.ts';
import type { SourceAccess } from './source-access.ts';

/**
 * Why a document may not be used, even if the caller sends its text. Undefined if it may. It need not exist. If it is
 * reached through a link, both names must be allowed.
 */
export async function refuseDocument(
  path: string,
  { mountedDirectory, world: { gate, reach } }: { mountedDirectory: string; world: World },
): Promise<Reason | undefined> {
  if (!isInside(mountedDirectory, path)) return outsideMounted;
  const real = await gate.realPath(path);
  const names = [path, ...(real.ok && real.realPath !== path ? [real.realPath] : [])];
  for (const name of [...names, ...realNamesOf(path, reach.roots)]) {
    const sensitive = decideSensitive(name);
    if (sensitive) return refusalReason('sensitive', sensitive.pattern);
  }
  for (const name of names) {
    // A path outside the roots has no policy, and its text comes from the caller.
    if (name !== path && !liesInRoots(name, reach.roots)) continue;
    const decision = await reach.policies.decide(name);
    const { allowed, reason } = decision;
    if (!allowed) return refusalReason(refusalCodeOf(decision), reason.detail ?? reason.code);
  }
  return undefined;
}

/** What the active document imports. Empty if the document may not be used. */
export async function importsOf(
  document: NonNullable<RetrieveRequest['activeDocument']> | undefined,
  about: {
    isFollowed: boolean;
    refused: Reason | undefined;
    access: SourceAccess;
    leaveOut(path: string, reason: Reason): void;
    focus?: Focus | undefined;
  },
): Promise<{ targets: readonly ImportTarget[]; warnings: Warning[]; attention?: Attention | undefined }> {
  const { isFollowed, refused, access, leaveOut, focus = {} } = about;
  const nothing = { targets: [], warnings: [] };
  if (document === undefined) return nothing;
  const { path, language } = document;
  const leaveOutDocument = ({ detail, ...reason }: Reason): void =>
    leaveOut(path, { ...reason, detail: `the active document: ${detail}` });
  const readable = refused ?? (await readDocument(document, access.read));
  if ('code' in readable) leaveOutDocument(readable);
  if (refused || !isFollowed) return nothing;
  const unsupported = languageOf(path, language) ? undefined : unsupportedLanguageOf(path, language);
  const warnings = unsupported ? [unsupportedLanguage(unsupported, path)] : [];
  if ('code' in readable) return { targets: [], warnings };
  await nextTurn();
  const { targets, leftOut } = await findImportTargets(readable, access);
  for (const file of leftOut) leaveOut(file.path, file.reason);
  // A cursor in the JSON of a notebook is at no line of its cells.
  const hasLines = !isNotebook(path) || readable.text === document.content;
  const attention = attentionTo(readable.text, hasLines ? focus : {}, targets);
  return { targets: attention ? sortByAttention(targets, attention) : targets, warnings, attention };
}

function unsupportedLanguage(language: string, path: string): Warning {
  const message = `There is no parser for ${language}: imports of the active document are not followed.`;
  return { code: 'unsupported_language', message, path };
}

async function readDocument(
  document: NonNullable<RetrieveRequest['activeDocument']>,
  read: SourceAccess['read'],
): Promise<ActiveDocument | Reason> {
  const { path, content, language } = document;
  if (content !== undefined) return { path, text: (isNotebook(path) && notebookText(content)) || content, language };
  const snapshot = await read(path);
  return 'code' in snapshot ? snapshot : { path, text: snapshot.text ?? '', sha256: snapshot.sha256, language };
}
