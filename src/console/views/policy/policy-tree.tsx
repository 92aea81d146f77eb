import { CornerDownRight, FilePen, FilePlus } from 'lucide';
import { parentPath } from '../../../access/paths.ts';
import type { PolicyDocument } from '../../../policy/policy-requests.ts';
import type { Warning } from '../../../warnings.ts';
import { Badge } from '../../elements/badge.tsx';
import { Icon } from '../../elements/icon.tsx';
import { countOf, FilePath } from '../../elements/text.tsx';
import { LongList } from '../../elements/virtual-list.tsx';
import { WarningList } from '../../elements/warnings.tsx';
import { relativeTo } from '../../paths.ts';
import { draftedPaths } from './drafts.ts';
import { nameOf, nesting, policyFileName, showPolicy } from './policy-place.ts';

type PolicyTreeProps = {
  mountedDirectory: string;
  policies: readonly PolicyDocument[];
  warnings: readonly Warning[];
  selected: string | undefined;
};

const maxRows = 60;

/** All policies, each below the one that it overrides in its directory. */
export function PolicyTree({ mountedDirectory, policies, warnings, selected }: PolicyTreeProps) {
  const rows = nesting(policies);
  const drafted = draftedPaths(mountedDirectory);
  const known = new Set(policies.map(({ path }) => path));
  const fresh = drafted.filter((path) => !known.has(path));
  const row = ({ document, above, depth }: (typeof rows)[number]) => (
    <PolicyRow
      mountedDirectory={mountedDirectory}
      document={document}
      above={above}
      depth={depth}
      isSelected={document.path === selected}
      isDrafted={drafted.includes(document.path)}
      findings={warnings.filter(({ path }) => path === document.path).length}
    />
  );
  const general = warnings.filter(({ path }) => path === undefined || !known.has(path));
  return (
    <div class="stack policy-tree-box">
      <LongList
        label="Policies"
        class="policy-tree"
        items={rows}
        keyOf={({ document }) => document.path}
        most={maxRows}
        estimate={58}
        render={row}
        scrollTo={rows.findIndex(({ document }) => document.path === selected)}
      />
      {fresh.length > 0 && (
        <ul class="policy-tree" aria-label="New policies, not saved">
          {fresh.map((path) => (
            <li key={path}>
              <button
                type="button"
                class="policy-row"
                aria-current={path === selected ? 'true' : undefined}
                onClick={() => showPolicy({ mountedDirectory, path })}
              >
                <span class="policy-row-name">
                  <Icon icon={FilePlus} />
                  <FilePath path={relativeTo(mountedDirectory, parentPath(path))} />
                </span>
                <span class="policy-row-state">
                  <Badge tone="accent">not saved yet</Badge>
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <WarningList warnings={general} />
    </div>
  );
}

type PolicyRowProps = {
  mountedDirectory: string;
  document: PolicyDocument;
  above: string | undefined;
  depth: number;
  isSelected: boolean;
  isDrafted: boolean;
  findings: number;
};

function PolicyRow({ mountedDirectory, document, above, depth, isSelected, isDrafted, findings }: PolicyRowProps) {
  const { path, directory, aiContextPolicy, exclude, valid, version } = document;
  const isAllow = aiContextPolicy === 'allow';
  return (
    <button
      type="button"
      class="policy-row"
      style={{ '--policy-depth': String(Math.min(depth, 6)) }}
      aria-current={isSelected ? 'true' : undefined}
      onClick={() => showPolicy({ mountedDirectory, path })}
    >
      <span class="policy-row-name">
        {depth > 0 && <Icon icon={CornerDownRight} />}
        <FilePath path={relativeTo(mountedDirectory, directory)} />
        {directory === mountedDirectory && <span class="faint">the mounted directory</span>}
        {isDrafted && <Icon icon={FilePen} />}
        {isDrafted && <span class="faint">not saved</span>}
      </span>
      <span class="policy-row-state">
        {valid ? (
          <Badge tone={isAllow ? 'good' : 'warn'}>{aiContextPolicy}</Badge>
        ) : (
          <Badge tone="bad">cannot be used: blocks all</Badge>
        )}
        {valid && <span class="faint">{exceptions(exclude.length, isAllow)}</span>}
        {valid && findings > 0 && <Badge tone="warn">{countOf(findings, 'warning')}</Badge>}
        {valid && <span class="faint">version {version}</span>}
        {nameOf(path) !== policyFileName && <span class="faint">{nameOf(path)}</span>}
      </span>
      {above !== undefined && (
        <span class="policy-row-nesting faint">
          decides alone here, instead of <FilePath path={relativeTo(mountedDirectory, above)} />
        </span>
      )}
    </button>
  );
}

function exceptions(number: number, isAllow: boolean): string {
  if (number === 0) return 'no exceptions';
  return `${countOf(number, 'exception')}, ${isAllow ? 'blocked' : 'allowed'}`;
}
