/** Tools that nobody can use: their present descriptions and the previous ones (S-31). */
import { useState } from 'preact/hooks';
import type { McpServerEntry, McpToolList } from '../../../mcp/server-requests.ts';
import { asProblem, type Problem } from '../../api/request.ts';
import { Badge } from '../../elements/badge.tsx';
import { LongText } from '../../elements/long-text.tsx';
import { Notice, Panel, ProblemNotice } from '../../elements/panel.tsx';
import { countOf, Name } from '../../elements/text.tsx';
import { notify } from '../../elements/toasts.tsx';
import { LongList } from '../../elements/virtual-list.tsx';
import { approve, ChangedMeanwhile, Decision } from './approval.tsx';
import { BeforeAndAfter } from './exact-text.tsx';
import { Altered, ToolFlags } from './tool-drawer.tsx';

const maxRows = 30;

type WithheldProps = { server: McpServerEntry; list: McpToolList; onChanged: () => void };

/** Keeps showing the list that was there first, as `approval.tsx` does. A newer list is offered, never swapped in. */
export function Withheld({ server, list, onChanged }: WithheldProps) {
  const [shown, setShown] = useState(list);
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setIsBusy] = useState(false);
  const { withheld, toolsFingerprint } = shown;
  const isOld = list.toolsFingerprint !== toolsFingerprint;
  const acceptable = withheld.filter(({ tool }) => tool !== undefined);
  const accept = async () => {
    setIsBusy(true);
    setProblem(undefined);
    try {
      await approve({ fingerprint: server.fingerprint, toolsFingerprint });
      notify(`${countOf(acceptable.length, 'tool')} of “${server.name}” can be used as shown.`);
    } catch (error) {
      setProblem(asProblem(error));
    }
    setIsBusy(false);
    onChanged();
  };
  return (
    <Panel class="servers-head" title="Withheld tools" note={`${countOf(withheld.length, 'tool')} nobody can use`}>
      <div class="stack">
        {acceptable.length > 0 && (
          <p class="servers-explanation">
            The server describes these tools differently than when it was approved. The descriptions go to the model:
            read them as carefully as a command.
          </p>
        )}
        <WithheldTools withheld={withheld} />
        {isOld && (
          <ChangedMeanwhile
            onShow={() => {
              setShown(list);
              setProblem(undefined);
            }}
          >
            The tools changed while they were shown here. These cannot be accepted any more.
          </ChangedMeanwhile>
        )}
        {problem !== undefined && <ProblemNotice problem={problem} />}
        {acceptable.length > 0 &&
          (toolsFingerprint === undefined ? (
            <Notice tone="info">Start the server to see what its tools are now.</Notice>
          ) : (
            <Decision
              of="the tools"
              fingerprint={toolsFingerprint}
              deed="Accept these tools"
              disabled={isBusy || isOld}
              onClick={() => void accept()}
            />
          ))}
      </div>
    </Panel>
  );
}

function WithheldTools({ withheld }: { withheld: McpToolList['withheld'] }) {
  return (
    <LongList
      label="Withheld tools"
      items={withheld}
      keyOf={(each, index) => `${index} ${each.name}`}
      most={maxRows}
      estimate={180}
      render={(each) => <WithheldTool withheld={each} />}
    />
  );
}

function WithheldTool({ withheld: { name, reason, tool, approved } }: { withheld: McpToolList['withheld'][number] }) {
  const change = approved === undefined ? 'new' : 'changed';
  return (
    <div class="servers-withheld">
      <p class="cluster">
        <strong class="mono">
          <Name>{name}</Name>
        </strong>
        <Badge tone="warn">{tool === undefined ? 'cannot be used' : change}</Badge>
        <span class="faint">
          <Name>{reason.detail ?? reason.code}</Name>
        </span>
      </p>
      {tool !== undefined && <ToolChange now={tool} approved={approved} />}
    </div>
  );
}

type Described = NonNullable<McpToolList['withheld'][number]['tool']>;

const comparedFields = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;
const fieldWords = {
  title: 'Title',
  description: 'Description',
  inputSchema: 'Schema of its arguments',
  outputSchema: 'Schema of its result',
  annotations: 'Hints about itself',
};

function ToolChange({ now, approved }: { now: Described; approved: Described | undefined }) {
  const differing = comparedFields.filter((field) => textOf(now[field]) !== textOf(approved?.[field]));
  return (
    <>
      <ToolFlags tool={now} />
      <Altered tool={now} />
      {differing.length === 0 && (
        <p class="faint">
          The difference is not visible here: it is in invisible characters, or in text that is not shown.
        </p>
      )}
      {differing.map((field) => (
        <div key={field}>
          <p class="servers-field">{fieldWords[field]}</p>
          {approved === undefined ? (
            <LongText text={textOf(now[field]) ?? ''} label={fieldWords[field]} />
          ) : (
            <BeforeAndAfter before={textOf(approved[field])} after={textOf(now[field])} keepsLines />
          )}
        </div>
      ))}
    </>
  );
}

function textOf(value: unknown): string | undefined {
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
