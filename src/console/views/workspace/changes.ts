import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ResolveResult } from '../../../context/resolve-result.ts';

/** What changed a moment ago, by path. */
export type Changes = { marks: ReadonlyMap<string, 'new' | 'changed'>; gone: number };

type Change = { path: string; what: 'new' | 'changed' | 'gone'; untilMs: number };

const none: readonly Change[] = [];
const shownMs = 8_000;

function signaturesOf({ files, excluded }: ResolveResult): Map<string, string> {
  const signatures = new Map(excluded.map(({ path, reason }) => [path, JSON.stringify(reason)]));
  for (const { path, sha256, state, reason, truncated } of files)
    signatures.set(path, JSON.stringify([sha256, state, reason, truncated]));
  return signatures;
}

/**
 * Compares each answer with the previous one about the same mounted directory. Each change is shown for some seconds.
 */
export function useChanges(result: ResolveResult | undefined): Changes {
  const last = useRef<{ directory: string; signatures: Map<string, string> }>(undefined);
  const [shown, setShown] = useState(none);
  useEffect(() => {
    if (result === undefined) return;
    const before = last.current;
    const signatures = signaturesOf(result);
    last.current = { directory: result.mountedDirectory, signatures };
    if (before === undefined || before.directory !== result.mountedDirectory) return setShown(none);
    const untilMs = performance.now() + shownMs;
    const changes = new Map<string, Change>();
    for (const [path, signature] of signatures) {
      const known = before.signatures.get(path);
      if (known !== signature) changes.set(path, { path, what: known === undefined ? 'new' : 'changed', untilMs });
    }
    for (const path of before.signatures.keys())
      if (!signatures.has(path)) changes.set(path, { path, what: 'gone', untilMs });
    // The previous answer may have come a moment ago: its changes are shown for their full time.
    if (changes.size > 0)
      setShown((earlier) => [...earlier.filter(({ path }) => !changes.has(path)), ...changes.values()]);
  }, [result]);
  useEffect(() => {
    if (shown.length === 0) return;
    const endMs = Math.min(...shown.map(({ untilMs }) => untilMs));
    const end = () => setShown((all) => all.filter(({ untilMs }) => untilMs > endMs));
    const timer = setTimeout(end, endMs - performance.now());
    return () => clearTimeout(timer);
  }, [shown]);
  return useMemo(() => {
    const marks = shown.flatMap(({ path, what }): [string, 'new' | 'changed'][] =>
      what === 'gone' ? [] : [[path, what]],
    );
    return { marks: new Map(marks), gone: shown.length - marks.length };
  }, [shown]);
}
