/** Changes the text of a policy file. What stays keeps its comments, order and quoting (AP-09). */
import { type Document, isMap, isScalar, isSeq, type Scalar, type YAMLSeq } from 'yaml';
import { parseYaml } from '../texts/change-value.ts';
import { type Policy, parsePolicyFile } from './policy-file.ts';

type Wanted = Pick<Policy, 'aiContextPolicy' | 'exclude'>;

/** Changes the present text so that it says what is wanted. Replaces a text that cannot be used. */
export function changePolicyText(text: string | undefined, wanted: Wanted): string {
  const present = text === undefined ? undefined : read(text);
  if (text === undefined || !present?.valid) return newText(wanted);
  // A file without `ai_context_policy` blocks, and must not stay without it.
  const isExplicit = !present.warnings.some(({ code }) => code === 'policy_without_kind');
  if (isExplicit && says(present, wanted)) return text;
  const changed = editText(text, wanted);
  // The library may misread an unusual text. So check that the result says what is wanted.
  return changed !== undefined && says(read(changed), wanted) ? changed : newText(wanted);
}

const read = (text: string) => parsePolicyFile(text, { path: '' });

function newText({ aiContextPolicy, exclude }: Wanted): string {
  // Any JSON text is a YAML scalar.
  const patterns = exclude.map((pattern) => `  - ${JSON.stringify(pattern)}\n`).join('');
  return `ai_context_policy: ${aiContextPolicy}\n${patterns === '' ? '' : `exclude:\n${patterns}`}`;
}

function says({ value, valid }: { value: Policy; valid: boolean }, { aiContextPolicy, exclude }: Wanted): boolean {
  const isSame = value.aiContextPolicy === aiContextPolicy && JSON.stringify(value.exclude) === JSON.stringify(exclude);
  return valid && isSame;
}

/** Keeps the byte order mark and the ends of lines. */
function editText(text: string, wanted: Wanted): string | undefined {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const edited = editContent(text.slice(mark.length).replaceAll('\r\n', '\n'), wanted);
  if (edited === undefined) return undefined;
  return `${mark}${text.includes('\r\n') ? edited.replaceAll('\n', '\r\n') : edited}`;
}

function editContent(content: string, wanted: Wanted): string | undefined {
  // The text was read before, so it is within the limits.
  const document = parseYaml(content);
  if (document.errors.length > 0) return undefined;
  if (document.contents === null)
    return `${content}${content === '' || content.endsWith('\n') ? '' : '\n'}${newText(wanted)}`;
  if (!isMap(document.contents)) return undefined;
  setKind(document, wanted.aiContextPolicy);
  setExclude(document, wanted.exclude);
  return document.toString({ lineWidth: 0, indentSeq: !hasListAtMargin(content), flowCollectionPadding: false });
}

/** Whether the entries of `exclude` have the same indent as the key. */
function hasListAtMargin(content: string): boolean {
  const lines = content.split('\n');
  const key = lines.findIndex((line) => /^exclude[ \t]*:/u.test(line));
  if (key < 0) return false;
  const next = lines.slice(key + 1).find((line) => !/^[ \t]*(?:#|$)/u.test(line));
  return next?.startsWith('-') === true;
}

function setKind(document: Document, kind: string): void {
  const present = document.get('ai_context_policy', true);
  if (isScalar(present)) {
    if (present.value !== kind) setScalar(present, kind);
    return;
  }
  const map = document.contents;
  if (!isMap(map)) return;
  map.delete('ai_context_policy');
  map.items.unshift(document.createPair('ai_context_policy', kind) as never);
}

function setExclude(document: Document, exclude: readonly string[]): void {
  const present = document.get('exclude', true);
  if (!isSeq(present)) {
    if (exclude.length === 0) return;
    const list = document.createNode(exclude) as YAMLSeq;
    // For example patterns that are commented out.
    const remarks = isScalar(present) ? joinRemarks(present.commentBefore, present.comment) : undefined;
    if (remarks !== undefined) list.commentBefore = remarks;
    document.set('exclude', list);
    return;
  }
  const list = present as YAMLSeq<Scalar>;
  // An entry that stays keeps its comments and quotes. The same pattern may be there more than once.
  const kept = new Map<unknown, Scalar[]>();
  const wanted = new Set<unknown>(exclude);
  let left: string | null | undefined;
  for (const item of list.items) {
    // A comment above a removed entry may be about the entries after it, so it stays.
    left = joinRemarks(left, item.commentBefore);
    if (!wanted.has(item.value)) continue;
    item.commentBefore = left ?? null;
    left = undefined;
    kept.set(item.value, [...(kept.get(item.value) ?? []), item]);
  }
  list.comment = joinRemarks(left, list.comment) ?? null;
  list.items = exclude.map((pattern) => kept.get(pattern)?.shift() ?? (document.createNode(pattern) as Scalar));
  if (exclude.length === 0) list.flow = true;
}

function joinRemarks(...remarks: (string | null | undefined)[]): string | undefined {
  const written = remarks.filter((remark) => remark !== null && remark !== undefined);
  return written.length === 0 ? undefined : written.join('\n');
}

function setScalar(scalar: Scalar, value: string): void {
  scalar.value = value;
  delete scalar.source;
}
