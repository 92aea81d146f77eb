/** Pages about policies and their decisions. All text from files is escaped. */
import { isInside, relativePath } from '../../access/paths.ts';
import type { PathDecision, PolicyCheckResult, PolicyList, PolicyPreview } from '../../policy/policy-requests.ts';
import { shortenPaths } from '../../texts/short-paths.ts';
import { visibleText } from '../../texts/visible-text.ts';
import { uniqueWarnings } from '../../warnings.ts';
import { renderWarnings, type Sheet } from './page.ts';
import { oneLine, wrapText } from './terminal-text.ts';
import { count } from './words.ts';

type Page = { sheet: Sheet; mountedDirectory: string };

/** One line per file, and one for what decided. */
export function renderPolicyCheck({ decisions, warnings }: PolicyCheckResult, page: Page): string[] {
  const lines = decisions.flatMap((decision) => renderDecision(decision, page));
  return [...lines, ...renderWarnings(warnings, page.sheet)];
}

/** The counts, then some files. */
export function renderPolicyPreview(
  { allowed, blocked, sample, changes, truncated, warnings }: PolicyPreview,
  page: Page,
): string[] {
  const { paint } = page.sheet;
  const all = allowed + blocked;
  const changing = changes.allowed + changes.blocked;
  const andMore = (number: number) => (number > 0 ? [paint('dim', `  and ${count(number)} more`)] : []);
  const files = [...sample.flatMap((decision) => renderDecision(decision, page)), ...andMore(all - sample.length)];
  return [
    `${paint('bold', `${count(allowed)} of ${count(all)} files may be seen`)}${truncated ? ', as far as they were counted' : ''}.`,
    ...(changing === 0
      ? []
      : [
          `Compared with now: ${count(changes.allowed)} newly allowed, ${count(changes.blocked)} newly blocked:`,
          ...changes.sample.map(
            ({ path, allowed }) => `  ${allowed ? paint('green', '+') : paint('red', '−')} ${shown(path, page)}`,
          ),
          ...andMore(changing - changes.sample.length),
        ]),
    ...(files.length === 0 ? [] : ['', ...files]),
    ...renderWarnings(warnings, page.sheet),
  ];
}

/** Each policy with its exceptions. `rest`: what decides about the directory itself, if none of these does. */
export function renderPolicyList(
  { policies, warnings }: PolicyList,
  rest: PolicyCheckResult | undefined,
  page: Page,
): string[] {
  const { paint } = page.sheet;
  const none = policies.length === 0 ? ['There is no policy in this directory or below it.'] : [];
  const lines = policies.flatMap(({ path, aiContextPolicy, exclude, valid }) => [
    `${paint('bold', shown(path, page))}  ${valid ? aiContextPolicy : paint('red', 'cannot be used, blocks')}`,
    ...exclude.map((pattern) => `  ${paint('dim', 'except')} ${visibleText(pattern)}`),
  ]);
  const others = (rest?.decisions ?? []).flatMap((decision) => renderDecision(decision, page));
  // Both answers tell of settings that cannot be used.
  const told = uniqueWarnings([...warnings, ...(rest?.warnings ?? [])]);
  return [...none, ...lines, ...others, ...renderWarnings(told, page.sheet)];
}

function renderDecision({ path, allowed, reason }: PathDecision, page: Page): string[] {
  const { paint, width } = page.sheet;
  const mark = allowed ? paint('green', '●') : paint('red', '✕');
  const detail = shortenPaths(reason.detail ?? '', page.mountedDirectory);
  const why = [reason.code.replaceAll('_', ' '), detail].filter((part) => part !== '').join(': ');
  return [
    `${mark} ${shown(path, page)}`,
    ...wrapText(oneLine(why), width - 4).map((line) => `    ${paint('dim', line)}`),
  ];
}

function shown(path: string, { sheet, mountedDirectory }: Page): string {
  return isInside(mountedDirectory, path) ? visibleText(relativePath(mountedDirectory, path)) : sheet.place(path);
}
