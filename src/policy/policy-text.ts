/** Changes the text of a policy file. What stays keeps its comments, order and quoting (AP-09). */
import { type Document, isMap, isScalar, isSeq, type Scalar, type YAMLSeq } from 'yaml';
import { parseYaml } from '../texts/change-value.ts';
import { type Policy, parsePolicyFile } from './policy-file.ts';

type Wanted = Pick<Policy, 'aiContextPolicy' | 'exclude'>;

/** Changes the present text so that it says what is wanted. Replaces a text that cannot be used. */
export function changePolicyText(text: string | undefined, wanted: Wanted): string {
  if (text !== undefined) {
    const present = parsePolicyFile(text, { path: '' });
    if (present.valid && says(present.value, wanted) && isExplicit(text)) return text;
    const changed = present.valid ? editText(text, wanted) : undefined;
    // The library may misread an unusual text. So check that the result says what is wanted.
    if (changed !== undefined && saysText(changed, wanted)) return changed;
  }
  return newText(wanted);
}

function newText({ aiContextPolicy, exclude }: Wanted): string {
  // Any JSON text is a YAML scalar.
  const patterns = exclude.map((pattern) => `  - ${JSON.stringify(pattern)}\n`).join('');
  return `ai_context_policy: ${aiContextPolicy}\n${patterns === '' ? '' : `exclude:\n${patterns}`}`;
}

function saysText(text: string, wanted: Wanted): boolean {
  const { value, valid } = parsePolicyFile(text, { path: '' });
  return valid && says(value, wanted);
}

function says(policy: Policy, { aiContextPolicy, exclude }: Wanted): boolean {
  return policy.aiContextPolicy === aiContextPolicy && JSON.stringify(policy.exclude) === JSON.stringify(exclude);
}

/** Whether the file says `ai_context_policy`. A file without it blocks, and must not stay without it. */
function isExplicit(text: string): boolean {
  return !parsePolicyFile(text, { path: '' }).warnings.some(({ code }) => code === 'policy_without_kind');
}

function editText(text: string, { aiContextPolicy, exclude }: Wanted): string | undefined {
  const hasMark = text.startsWith('\uFEFF');
  const isCrlf = text.includes('\r\n');
  const content = (hasMark ? text.slice(1) : text).replaceAll('\r\n', '\n');
  // The text was read before, so it is within the limits.
  const document = parseYaml(content);
  if (document.errors.length > 0) return undefined;
  if (document.contents === null) {
    const edited = `${content}${content === '' || content.endsWith('\n') ? '' : '\n'}${newText({ aiContextPolicy, exclude })}`;
    return finish(edited, hasMark, isCrlf);
  }
  if (!isMap(document.contents)) return undefined;
  setKind(document, aiContextPolicy);
  setExclude(document, exclude);
  const isIndented = !hasListAtMargin(content);
  return finish(
    document.toString({ lineWidth: 0, indentSeq: isIndented, flowCollectionPadding: false }),
    hasMark,
    isCrlf,
  );
}

/** Whether the entries of `exclude` have the same indent as the key. */
function hasListAtMargin(content: string): boolean {
  const lines = content.split('\n');
  const key = lines.findIndex((line) => /^exclude[ \t]*:/u.test(line));
  return (
    key >= 0 &&
    lines
      .slice(key + 1)
      .find((line) => !/^[ \t]*(?:#|$)/u.test(line))
      ?.startsWith('-') === true
  );
}

function finish(edited: string, hasMark: boolean, isCrlf: boolean): string {
  return `${hasMark ? '\uFEFF' : ''}${isCrlf ? edited.replaceAll('\n', '\r\n') : edited}`;
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
