/** Turns the warnings of parsers and checks into diagnostics. */

import { atOnce, type Steps } from '../pace/turns.ts';
import { fixedLimits } from '../settings.ts';
import { compareText } from '../texts/compare-text.ts';
import type { Warning } from '../warnings.ts';
import type { Diagnostic, ValidateResult } from './diagnostic.ts';
import { ruleOf } from './findings.ts';

const limits = fixedLimits.validation;

/** Warnings about one file, each with a line that the file has. Warnings about the whole file are at its beginning. */
export function placeInText(warnings: readonly Warning[], text: string): Warning[] {
  const lines = text.split('\n');
  if (lines.length > 1 && lines.at(-1) === '') lines.pop();
  return warnings.map((warning) => {
    const { line = 1, column = 1 } = warning;
    const placedLine = Math.min(line, lines.length);
    const end = (lines[placedLine - 1] ?? '').replace(/\r$/u, '').length + 1;
    return { ...warning, line: placedLine, column: placedLine < line ? end : Math.min(column, end) };
  });
}

/** `causedBy`: the file whose error is the cause. */
export type CausedWarning = Warning & { causedBy?: string };

/**
 * The diagnostics by path, line and column, each once. Consequences are attached to the first error of the file that
 * causes them. If there are too many, warnings are left out first, and the last diagnostic says so.
 */
export function finishDiagnostics(findings: readonly CausedWarning[]): ValidateResult {
  return atOnce(diagnosing(findings));
}

/** Like `finishDiagnostics`, in steps, because a tree can have very many findings. */
export function* diagnosing(findings: readonly CausedWarning[]): Steps<ValidateResult> {
  const told = new Set<string>();
  const consequences = new Map<string, Warning[]>();
  let kept: Diagnostic[] = [];
  let total = 0;
  const keep = (warning: Warning): void => {
    total += 1;
    kept.push(toDiagnostic(warning));
    if (kept.length > 4 * limits.diagnostics) kept = mostImportant(kept);
  };
  for (const finding of findings) {
    const before = told.size;
    if (told.add(JSON.stringify(finding)).size === before) continue;
    const { causedBy, ...warning } = finding;
    if (causedBy === undefined) keep(warning);
    else {
      const below = consequences.get(causedBy) ?? [];
      below.push(warning);
      consequences.set(causedBy, below);
    }
    yield;
  }
  const causes = firstErrors(kept);
  for (const [path, below] of consequences) {
    // The file of the cause may be above the tree.
    if (causes.has(path)) continue;
    for (const warning of below) {
      keep(warning);
      yield;
    }
  }
  const diagnostics = mostImportant(kept)
    .sort(compareDiagnostics)
    .map((each) =>
      each.path === undefined || causes.get(each.path) !== each
        ? each
        : withConsequences(each, consequences.get(each.path)),
    );
  const valid = !diagnostics.some(isError);
  if (total <= limits.diagnostics) return { valid, diagnostics };
  const message = `Only ${limits.diagnostics} of ${total} findings are listed.`;
  return { valid, diagnostics: [...diagnostics, toDiagnostic({ code: 'more_diagnostics', message })] };
}

function isError({ severity }: Diagnostic): boolean {
  return severity === 'error';
}

function mostImportant(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const byWeight = (a: Diagnostic, b: Diagnostic): number => Number(isError(b)) - Number(isError(a));
  return diagnostics.toSorted((a, b) => byWeight(a, b) || compareDiagnostics(a, b)).slice(0, limits.diagnostics);
}

/** The first error of each file, by path. */
function firstErrors(diagnostics: readonly Diagnostic[]): Map<string, Diagnostic> {
  const first = new Map<string, Diagnostic>();
  for (const each of diagnostics.filter(isError).sort(compareDiagnostics))
    if (each.path !== undefined && !first.has(each.path)) first.set(each.path, each);
  return first;
}

function withConsequences(cause: Diagnostic, below: readonly Warning[] | undefined): Diagnostic {
  if (below === undefined) return cause;
  const message = `Only ${limits.diagnostics} of ${below.length} consequences are listed.`;
  const more: Warning[] = below.length > limits.diagnostics ? [{ code: 'more_diagnostics', message }] : [];
  return {
    ...cause,
    consequences: [...below.toSorted(compareDiagnostics).slice(0, limits.diagnostics), ...more],
  };
}

function toDiagnostic(warning: Warning): Diagnostic {
  const { severity, mend } = ruleOf(warning.code);
  const message = mend === undefined ? warning.message : `${warning.message} ${mend}`;
  return { severity, ...warning, message };
}

function compareDiagnostics(a: Warning, b: Warning): number {
  return (
    compareText(a.path ?? '', b.path ?? '') ||
    (a.line ?? 0) - (b.line ?? 0) ||
    (a.column ?? 0) - (b.column ?? 0) ||
    compareText(a.code, b.code)
  );
}
