import { useMemo, useState } from 'preact/hooks';
import type { ContextFile } from '../../../context/context-file.ts';
import type { Scope } from '../../../context/item-values.ts';
import { wordsOfExclusion, wordsOfState } from '../../../context/reason-words.ts';
import type { ResolveResult } from '../../../context/resolve-result.ts';
import { visibleText } from '../../../texts/visible-text.ts';
import { CopyButton } from '../../elements/copy-button.tsx';
import { Panel } from '../../elements/panel.tsx';
import { count, countOf, FilePath, Name, size } from '../../elements/text.tsx';
import { relativeTo } from '../../paths.ts';
import { openExplanation } from './context-row.tsx';
import { scopes, scopeWords } from './workspace-request.ts';

const maxSegments = 80;
const maxListed = 5;
const maxOmitted = 50;

/** The tokens of the active files, their share of the budget, and the files that did not fit. */
export function BudgetPanel({ result, max }: { result: ResolveResult; max: number | undefined }) {
  // Beside the list, the panel has room for everything. Above the list, it would push the list out of sight.
  const [isWide] = useState(() => matchMedia('(min-width: 1400px)').matches);
  const { usage, files, digest } = result;
  const active = useMemo(() => files.filter(({ state, tokens }) => state === 'active' && tokens > 0), [files]);
  const largest = useMemo(() => [...active].sort((a, b) => b.tokens - a.tokens).slice(0, maxListed), [active]);
  const omitted = useMemo(() => shownOmitted(result), [result]);
  const reasons = [...new Set(omitted.map(({ words }) => words))];
  return (
    <Panel
      class="workspace-budget"
      title="Budget"
      note={`${countOf(usage.files, 'active file')}, ${size(usage.bytes)}`}
      actions={
        <span class="workspace-digest" title={`Digest of the context: ${digest}`}>
          <code>{digest.slice(0, 8)}</code>
          <CopyButton text={digest} label="Copy the digest of the context" />
        </span>
      }
    >
      <div class="stack workspace-tight">
        <div class="workspace-sums stack workspace-tight">
          <p class="workspace-used">
            <strong>{count(usage.tokens)}</strong>
            {max === undefined ? ' tokens; no budget is set' : ` of ${countOf(max, 'token')}`}
          </p>
          <BudgetBar files={active} used={usage.tokens} max={max} />
          <Legend files={active} />
        </div>
        {largest.length > 1 && (
          <details open={isWide}>
            <summary>Largest</summary>
            <ul class="workspace-costs" aria-label="Largest files">
              {largest.map((file) => (
                <Cost key={file.path} path={file.path} shown={file.relativePath} tokens={file.tokens} />
              ))}
            </ul>
          </details>
        )}
        {usage.omitted.length > 0 && (
          <details open={isWide}>
            <summary>
              Did not fit: {countOf(usage.omitted.length, 'file')},{' '}
              {countOf(
                usage.omitted.reduce((sum, { tokens }) => sum + tokens, 0),
                'token',
              )}
            </summary>
            {reasons.length === 1 && <p class="faint">{reasons}</p>}
            <ul class="workspace-costs" aria-label="Files that did not fit">
              {omitted.map(({ path, shown, tokens, words, code }) => (
                <Cost
                  key={path}
                  path={path}
                  shown={shown}
                  tokens={tokens}
                  code={code}
                  words={reasons.length === 1 ? undefined : words}
                />
              ))}
            </ul>
            {usage.omitted.length > maxOmitted && (
              <p class="faint">and {count(usage.omitted.length - maxOmitted)} more, among the available files</p>
            )}
          </details>
        )}
      </div>
    </Panel>
  );
}

/** The first files that did not fit, named as in the list. */
function shownOmitted({ files, usage, mountedDirectory }: ResolveResult) {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return usage.omitted.slice(0, maxOmitted).map(({ path, tokens, reason }) => {
    const file = byPath.get(path);
    return {
      path,
      tokens,
      code: reason.code,
      shown: file?.relativePath ?? relativeTo(mountedDirectory, path),
      words: visibleText(file === undefined ? wordsOfExclusion(reason) : wordsOfState(file)),
    };
  });
}

/** One segment per file, or one per scope if the segments of files would be too thin to see. */
function BudgetBar({ files, used, max }: { files: readonly ContextFile[]; used: number; max: number | undefined }) {
  const whole = Math.max(1, used, max ?? 0);
  const segments =
    files.length <= maxSegments
      ? files.map(({ path, relativePath, scope, tokens }) => ({ key: path, scope, tokens, title: relativePath }))
      : sums(files).map(({ scope, tokens }) => ({ key: scope, scope, tokens, title: scopeWords[scope].title }));
  return (
    <div
      class="workspace-bar"
      role="img"
      aria-label={max === undefined ? `${count(used)} tokens` : `${count(used)} of ${count(max)} tokens used`}
    >
      {segments.map(({ key, scope, tokens, title }) => (
        <span
          key={key}
          class="workspace-segment"
          data-scope={scope}
          title={`${visibleText(title)}: ${countOf(tokens, 'token')}`}
          style={{ inlineSize: `${(tokens / whole) * 100}%` }}
        />
      ))}
    </div>
  );
}

function sums(files: readonly ContextFile[]): { scope: Scope; files: number; tokens: number }[] {
  return scopes.map((scope) => {
    const own = files.filter((file) => file.scope === scope);
    return { scope, files: own.length, tokens: own.reduce((sum, { tokens }) => sum + tokens, 0) };
  });
}

function Legend({ files }: { files: readonly ContextFile[] }) {
  return (
    <ul class="workspace-legend" aria-label="Tokens by scope">
      {sums(files).map(({ scope, tokens, files: number }) => (
        <li key={scope}>
          <span class="workspace-swatch" data-scope={scope} />
          <span>
            {scopeWords[scope].title} <span class="faint">{scopeWords[scope].place}</span>
          </span>
          <span class="number" title={countOf(number, 'file')}>
            {count(tokens)}
          </span>
        </li>
      ))}
    </ul>
  );
}

type CostProps = { path: string; shown: string; tokens: number; words?: string; code?: string };

function Cost({ path, shown, tokens, words, code }: CostProps) {
  return (
    <li>
      <button type="button" class="workspace-open" onClick={() => openExplanation(path)}>
        <FilePath path={shown} />
      </button>
      <span class="number">{count(tokens)}</span>
      {words !== undefined && (
        <span class="faint workspace-cost-words" title={code}>
          <Name>{words}</Name>
        </span>
      )}
    </li>
  );
}
