import { useEffect, useRef, useState } from 'preact/hooks';
import type { ResolveResult } from '../../../context/resolve-result.ts';

/** What became different with the newest answer, by path. */
export type Changes = { marks: ReadonlyMap<string, 'new' | 'changed'>; gone: number };

const none: Changes = { marks: new Map(), gone: 0 };
const shownMs = 8_000;

function signaturesOf({ files, excluded }: ResolveResult): Map<string, string> {
  const signatures = new Map(excluded.map(({ path, reason }) => [path, JSON.stringify(reason)]));
  for (const { path, sha256, state, reason, truncated } of files)
    signatures.set(path, JSON.stringify([sha256, state, reason, truncated]));
  return signatures;
}

/** Compares each answer with the one before it about the same mounted directory; empty again after some seconds. */
export function useChanges(result: ResolveResult | undefined): Changes {
  const last = useRef<{ directory: string; signatures: Map<string, string> }>(undefined);
  const [changes, setChanges] = useState(none);
  useEffect(() => {
    if (result === undefined) return;
    const before = last.current;
    const signatures = signaturesOf(result);
    last.current = { directory: result.mountedDirectory, signatures };
    if (before === undefined || before.directory !== result.mountedDirectory) return setChanges(none);
    const marks: Map<string, 'new' | 'changed'> = new Map();
    for (const [path, signature] of signatures) {
      const known = before.signatures.get(path);
      if (known !== signature) marks.set(path, known === undefined ? 'new' : 'changed');
    }
    let gone = 0;
    for (const path of before.signatures.keys()) if (!signatures.has(path)) gone += 1;
    if (marks.size > 0 || gone > 0) setChanges({ marks, gone });
  }, [result]);
  useEffect(() => {
    if (changes === none) return;
    const timer = setTimeout(() => setChanges(none), shownMs);
    return () => clearTimeout(timer);
  }, [changes]);
  return changes;
}
