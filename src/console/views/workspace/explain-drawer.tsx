import { AtSign } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ContextFile } from '../../../context/context-file.ts';
import type { ExplainResult, Explanation } from '../../../context/explain-result.ts';
import { wordsOfExclusion, wordsOfState } from '../../../context/reason-words.ts';
import type { ResolveRequest } from '../../../context/resolve-request.ts';
import type { ResolveResult } from '../../../context/resolve-result.ts';
import { shortenPaths } from '../../../texts/short-paths.ts';
import { request } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import { Badge } from '../../elements/badge.tsx';
import { Button } from '../../elements/button.tsx';
import { CopyButton } from '../../elements/copy-button.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { Fact } from '../../elements/fact.tsx';
import { ResourceState } from '../../elements/resource-state.tsx';
import { count, countOf, FilePath, Name, size } from '../../elements/text.tsx';
import { relativeTo } from '../../paths.ts';
import { addressOf, setParams } from '../../route.ts';
import { ContextText } from './context-text.tsx';
import { concernsResolution, resolutionEvents, scopeWords } from './workspace-request.ts';

type ExplainDrawerProps = { path: string; asked: ResolveRequest; result: ResolveResult | undefined };

/** Explains step by step why a file is context or not, and shows what the model gets of it. */
export function ExplainDrawer({ path, asked, result }: ExplainDrawerProps) {
  const body = { ...asked, path, content: false };
  const { value, problem, isStale, reload } = useResource(
    JSON.stringify(body),
    (signal) => request<ExplainResult>('/v1/context/explain', { body, signal }),
    { events: resolutionEvents, concerns: (event) => concernsResolution(event, asked, result) },
  );
  const explanation = isStale ? undefined : value?.candidates[0];
  const file = result?.files.find((each) => each.path === (explanation?.path ?? path));
  return (
    <Dialog
      shape="drawer"
      title={<FilePath path={file?.relativePath ?? relativeTo(asked.mountedDirectory, explanation?.path ?? path)} />}
      onClose={() => setParams({ explain: undefined })}
    >
      <ResourceState resource={{ value: explanation, problem, reload }} rows={10} />
      {explanation !== undefined && (
        <>
          <Verdict explanation={explanation} file={file} asked={asked} />
          <Steps explanation={explanation} mountedDirectory={result?.mountedDirectory ?? asked.mountedDirectory} />
        </>
      )}
      {file !== undefined && <Facts file={file} />}
      {file !== undefined && <Content file={file} />}
    </Dialog>
  );
}

const verdictWords = {
  active: { tone: 'good', text: 'Active', meaning: 'The model gets it' },
  available: { tone: 'neutral', text: 'Available', meaning: 'The model could ask for it' },
  excluded: { tone: 'warn', text: 'Left out', meaning: 'The model does not get it' },
} as const;

function Verdict(props: { explanation: Explanation; file: ContextFile | undefined; asked: ResolveRequest }) {
  const { explanation, file, asked } = props;
  const { mountedDirectory, mentions = [] } = asked;
  const { verdict, reason, path } = explanation;
  const { tone, text, meaning } = verdictWords[verdict];
  const isCurrent = file !== undefined && file.state === verdict;
  return (
    <div class="workspace-verdict">
      <Badge tone={tone}>{text}</Badge>
      <p>
        {meaning}:{' '}
        <strong title={reason.code}>
          <Name>{shortenPaths(isCurrent ? wordsOfState(file) : wordsOfExclusion(reason), mountedDirectory)}</Name>
        </strong>
      </p>
      <div class="cluster">
        {file !== undefined && isToAskFor(file, verdict) && !mentions.includes(file.relativePath) && (
          <Button icon={AtSign} onClick={() => setParams({ mention: [...mentions, file.relativePath] })}>
            {file.part === undefined ? 'Mention it' : 'Mention it to get all of it'}
          </Button>
        )}
        {verdict === 'excluded' && reason.code === 'blocked_by_policy' && (
          <a href={addressOf('policy', { check: relativeTo(mountedDirectory, path) })}>To the policy</a>
        )}
        <CopyButton text={path} label="Copy the absolute path" />
      </div>
    </div>
  );
}

/** Whether a mention would make more of the file context. */
function isToAskFor({ part }: ContextFile, verdict: Explanation['verdict']): boolean {
  return verdict === 'available' || (verdict === 'active' && part !== undefined);
}

/** The result of each rule for the file: codes as words, paths without the mounted directory. */
function Steps({ explanation, mountedDirectory }: { explanation: Explanation; mountedDirectory: string }) {
  const { steps, verdict, reason } = explanation;
  const say = (detail: string) => shortenPaths(detail, mountedDirectory).replace(/^[a-z]+(?:_[a-z]+)+(?=$|:)/u, words);
  const deciding =
    verdict === 'excluded' ? steps.findLastIndex(({ outcome }) => outcome === reason.code) : steps.length - 1;
  const shownOutcome = (outcome: string, index: number) => {
    if (index === deciding) return verdict;
    return outcome === 'passed' ? outcome : undefined;
  };
  return (
    <section aria-label="Steps">
      <h3>How this was decided</h3>
      <ol class="workspace-steps">
        {steps.map(({ rule, outcome, detail }, index) => (
          <li key={index} data-outcome={shownOutcome(outcome, index)}>
            <span>{words(rule)}</span>
            <span class="workspace-step-outcome">{words(outcome)}</span>
            {detail !== undefined && detail !== outcome && detail !== rule && (
              <span class="workspace-step-detail">
                <Name>{say(detail)}</Name>
              </span>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

function words(code: string): string {
  return code.replaceAll('_', ' ');
}

function Facts({ file }: { file: ContextFile }) {
  const { scope, owner, source, type, trigger, globs, priority, tokens, bytes, truncated, similarityScore } = file;
  const {
    part,
    wholeTokens = tokens,
    description,
    format,
    instructions,
    properties,
    sha256,
    supportingFiles = [],
  } = file;
  const all: [string, ComponentChildren][] = [
    ['Type', `${type}, ${trigger}`],
    ['Scope', `${scopeWords[scope].title}, ${scopeWords[scope].place}`],
    ['Belongs to', <FilePath path={owner} />],
    ['Format', format],
    ['Found by', source === 'include' ? 'a pattern of includeFiles' : undefined],
    ['Description', description === '' ? undefined : <Name>{description}</Name>],
    ['Instructions', instructions && <Name>{instructions}</Name>],
    ['Files beside it', supportingFiles.length === 0 ? undefined : <Name>{supportingFiles.join(', ')}</Name>],
    ['Globs', <Name>{globs.join(', ')}</Name>],
    ['Priority', String(priority)],
    ['Similarity', similarityScore?.toFixed(2)],
    ['Size', `${countOf(wholeTokens, 'token')}, ${size(bytes)}${truncated ? '; only its beginning is delivered' : ''}`],
    ['Delivered', part && `its ${part}, ${countOf(tokens, 'token')}`],
    ...Object.entries(properties).map(([key, value]): [string, ComponentChildren] => [
      key,
      <Name>{typeof value === 'string' ? value : JSON.stringify(value)}</Name>,
    ]),
    ['SHA-256', <code class="workspace-hash">{sha256}</code>],
  ];
  const facts = all.filter(([, value]) => value !== undefined);
  return (
    <section aria-label="Properties">
      <h3>Properties</h3>
      <dl class="workspace-facts">
        {facts.map(([name, value], index) => (
          <Fact key={index} name={<Name>{name}</Name>}>
            {value}
          </Fact>
        ))}
      </dl>
    </section>
  );
}

function Content({ file: { path, content, tokens } }: { file: ContextFile }) {
  const parts = useMemo(() => (content === undefined ? [] : [{ key: path, text: content }]), [path, content]);
  return (
    <section aria-label="Content">
      <div class="workspace-content-head">
        <h3>As the model gets it</h3>
        {content !== undefined && (
          <>
            <span class="faint">{count(tokens)} tokens</span>
            <CopyButton text={content} label="Copy the text" />
          </>
        )}
      </div>
      {content === undefined ? (
        <p class="faint">Not active, so the model does not get its text.</p>
      ) : (
        <ContextText parts={parts} label="Text of the file" />
      )}
    </section>
  );
}
