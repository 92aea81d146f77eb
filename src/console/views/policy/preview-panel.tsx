import { useRef, useState } from 'preact/hooks';
import { parentPath } from '../../../access/paths.ts';
import type { PathDecision, PolicyPreview } from '../../../policy/policy-requests.ts';
import type { Diagnostic } from '../../../validation/diagnostic.ts';
import { request } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import { Badge } from '../../elements/badge.tsx';
import { Segmented } from '../../elements/fields.tsx';
import { Notice, Panel, ProblemNotice } from '../../elements/panel.tsx';
import { ResourceState } from '../../elements/resource-state.tsx';
import { count, countOf } from '../../elements/text.tsx';
import { VirtualList } from '../../elements/virtual-list.tsx';
import { WarningList } from '../../elements/warnings.tsx';
import { useRested } from '../../rested.ts';
import { Decision } from './check-path.tsx';
import { onPolicyChanges } from './policy-events.ts';
import { nameOf, type PolicyPlace } from './policy-place.ts';

const shownFiles = 500;
const restMs = 350;
const slowMs = 600;

type PreviewPanelProps = {
  place: PolicyPlace;
  text: string;
  /** The findings in the text. Undefined while it is checked. */
  findings: readonly Diagnostic[] | undefined;
  /** The version of the saved file. Another version requests again. */
  etag: string | undefined;
  isEdited: boolean;
};

/** The preview of the typed text, as far as it is known. */
function usePreview({ place, text, findings, etag, isEdited }: PreviewPanelProps) {
  const { mountedDirectory, path } = place;
  const rested = useRested(text, restMs);
  const mistake = findings?.find(({ severity }) => severity === 'error');
  // A text with an error is not sent, because it would be refused.
  const preview = useResource(
    mistake === undefined ? `preview\n${mountedDirectory}\n${path}\n${etag}\n${rested}` : undefined,
    (signal) =>
      request<PolicyPreview>('/v1/policy/preview', {
        body: { mountedDirectory, directory: parentPath(path), name: nameOf(path), text: rested, limit: shownFiles },
        signal,
      }),
    onPolicyChanges(mountedDirectory),
  );
  const isSlow = useRested(preview.isLoading ? 'loading' : '', slowMs) === 'loading' && preview.isLoading;
  // While the typed text is unusable, the last good answer stays.
  const last = useRef<PolicyPreview>(undefined);
  if (preview.value !== undefined) last.current = preview.value;
  const value = preview.value ?? last.current;
  const refused = preview.problem?.code === 'invalid_request' ? preview.problem.message : undefined;
  const unusable = mistake === undefined ? refused : mistakeWords(isEdited);
  return { preview, value, unusable, isSlow, isRested: rested === text };
}

type Shown = 'changes' | 'blocked' | 'all';
type Choice = { title: string; files: readonly PathDecision[]; all: number; none: string };

/** The lists of files to choose from. `all` counts the files that are not in the sample, too. */
function choicesOf({ allowed, blocked, changes, sample }: PolicyPreview): Record<Shown, Choice> {
  return {
    changes: {
      title: 'Changes',
      files: changes.sample,
      all: changes.allowed + changes.blocked,
      none: 'No decision changes.',
    },
    blocked: {
      title: 'Blocked',
      files: sample.filter((each) => !each.allowed),
      all: blocked,
      none: 'No file is blocked.',
    },
    all: { title: 'All', files: sample, all: allowed + blocked, none: 'There is no file below this directory.' },
  };
}

/** What the text would allow, and what it would change, before it is saved. */
export function PreviewPanel({ place, text, findings, etag, isEdited }: PreviewPanelProps) {
  const { mountedDirectory } = place;
  const [chosen, setShown] = useState<Shown>();
  const shown = chosen ?? (isEdited ? 'changes' : 'all');
  const { preview, value, unusable, isSlow, isRested } = usePreview({ place, text, findings, etag, isEdited });
  if (value === undefined)
    return (
      <Panel title="Preview">
        {unusable === undefined ? <ResourceState resource={preview} rows={5} /> : <Notice>{unusable}</Notice>}
      </Panel>
    );
  const { truncated, warnings } = value;
  const choices = choicesOf(value);
  const { files, all, none } = choices[shown];
  const when = isEdited ? 'if you save now' : 'as saved';
  return (
    <Panel
      title="Preview"
      note={isSlow ? 'counting…' : when}
      isBusy={preview.isLoading || !isRested}
      class="policy-preview"
    >
      <div class="stack">
        {unusable !== undefined && <Notice>{unusable} The numbers are for the last text without mistakes.</Notice>}
        {unusable === undefined && preview.problem !== undefined && (
          <ProblemNotice problem={preview.problem} onRetry={preview.reload} />
        )}
        <Figures preview={value} />
        {truncated && (
          <Notice>There were too many files to count all of them. The numbers are for the counted files only.</Notice>
        )}
        <div class="cluster policy-preview-choice">
          <Segmented
            label="Show"
            value={shown}
            onChange={setShown}
            options={(['changes', 'blocked', 'all'] as const).map((each) => ({
              value: each,
              label: `${choices[each].title} ${count(choices[each].all)}`,
            }))}
          />
          {files.length < all && (
            <Badge>
              {count(files.length)} of {countOf(all, 'file')}
            </Badge>
          )}
        </div>
        {files.length === 0 ? (
          <p class="faint policy-preview-none">{none}</p>
        ) : (
          <VirtualList
            label={shown === 'changes' ? 'Files that change' : 'Files'}
            class="policy-preview-files"
            items={files}
            keyOf={(decision) => decision.path}
            estimate={50}
            render={(decision) => (
              <Decision mountedDirectory={mountedDirectory} decision={decision} change={shown === 'changes'} />
            )}
          />
        )}
        {/* Problems of policies are shown where they are edited. */}
        <WarningList
          warnings={warnings.filter(
            (each) => each.path === undefined || !/\/\.ai-context-policy\.ya?ml$/u.test(each.path),
          )}
        />
      </div>
    </Panel>
  );
}

function mistakeWords(isEdited: boolean): string {
  return isEdited
    ? 'A text with this mistake cannot be saved.'
    : 'This text cannot be used, so everything below is blocked.';
}

function Figures({ preview: { allowed, blocked, changes } }: { preview: PolicyPreview }) {
  return (
    <dl class="policy-figures" aria-live="polite">
      <Figure label="allowed" value={allowed} tone="good" />
      <Figure label="blocked" value={blocked} tone="bad" />
      <Figure label="newly allowed" value={changes.allowed} tone={changes.allowed > 0 ? 'good' : 'none'} />
      <Figure label="newly blocked" value={changes.blocked} tone={changes.blocked > 0 ? 'bad' : 'none'} />
    </dl>
  );
}

function Figure({ label, value, tone }: { label: string; value: number; tone: 'good' | 'bad' | 'none' }) {
  return (
    <div class={`policy-figure policy-figure-${tone}`}>
      <dt>{label}</dt>
      <dd>{count(value)}</dd>
    </div>
  );
}
