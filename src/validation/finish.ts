/** From the warnings of parsers and checks to diagnostics. */
import { compareText } from '../context/readable.ts';
import type { Steps } from '../turns.ts';
import type { Warning } from '../warnings.ts';
import type { Diagnostic, ValidateResult } from './diagnostic.ts';
import { ruleOf } from './rules.ts';

const maxDiagnostics = 1_000;

/** Warnings about one file, each at a line that the file has; what concerns all of it stands at its beginning. */
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

/** Diagnostics by path, line and column, each once. Of too many, warnings are left out first, and the last one says so. */
export function finishDiagnostics(warnings: readonly Warning[]): ValidateResult {
  const steps = diagnosing(warnings);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** As `finishDiagnostics`, step by step: a tree can have very many findings. */
export function* diagnosing(warnings: readonly Warning[]): Steps<ValidateResult> {
  const told = new Set<string>();
  let kept: Diagnostic[] = [];
  for (const warning of warnings) {
    const before = told.size;
    if (told.add(JSON.stringify(warning)).size === before) continue;
    kept.push(toDiagnostic(warning));
    if (kept.length > 4 * maxDiagnostics) kept = mostImportant(kept);
    yield;
  }
  const diagnostics = mostImportant(kept).sort(compareDiagnostics);
  const valid = !diagnostics.some(isError);
  if (told.size <= maxDiagnostics) return { valid, diagnostics };
  const message = `Only ${maxDiagnostics} of ${told.size} findings are listed.`;
  return { valid, diagnostics: [...diagnostics, toDiagnostic({ code: 'more_diagnostics', message })] };
}

function isError({ severity }: Diagnostic): boolean {
  return severity === 'error';
}

function mostImportant(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const byWeight = (a: Diagnostic, b: Diagnostic): number => Number(isError(b)) - Number(isError(a));
  return diagnostics.toSorted((a, b) => byWeight(a, b) || compareDiagnostics(a, b)).slice(0, maxDiagnostics);
}

function toDiagnostic(warning: Warning): Diagnostic {
  const { severity, mend } = ruleOf(warning.code);
  const message = mend === undefined ? warning.message : `${warning.message} ${mend}`;
  return { severity, ...warning, message };
}

function compareDiagnostics(a: Diagnostic, b: Diagnostic): number {
  return (
    compareText(a.path ?? '', b.path ?? '') ||
    (a.line ?? 0) - (b.line ?? 0) ||
    (a.column ?? 0) - (b.column ?? 0) ||
    compareText(a.code, b.code)
  );
}
