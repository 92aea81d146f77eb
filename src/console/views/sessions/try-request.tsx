import { FlaskConical, X } from 'lucide';
import { useMemo, useState } from 'preact/hooks';
import type { AgentItem } from '../../../agent/item.ts';
import type { RequestReceipt } from '../../../session/request.ts';
import type { SessionSummary } from '../../../session/session.ts';
import { visibleText } from '../../../texts/visible-text.ts';
import { asProblem, type Problem, request } from '../../api/request.ts';
import { Button } from '../../elements/button.tsx';
import { Field, Form } from '../../elements/fields.tsx';
import { Icon } from '../../elements/icon.tsx';
import { Panel, ProblemNotice } from '../../elements/panel.tsx';
import { SuggestingInput, type Suggestion } from '../../elements/suggesting-input.tsx';
import { Name } from '../../elements/text.tsx';
import { setParams } from '../../route.ts';
import { matchingItems } from './item-key.ts';
import { suggestionOf } from './session-context.tsx';

type TryRequestProps = {
  summary: SessionSummary;
  agentItems: readonly AgentItem[];
  onSent: () => void;
};

/** Sends a request as a runtime would, and shows what the model would get. */
export function TryRequest({ summary, agentItems, onSent }: TryRequestProps) {
  const [message, setMessage] = useState('');
  const [files, setFiles] = useState<readonly string[]>([]);
  const [mentions, setMentions] = useState<readonly string[]>([]);
  const [maxTokens, setMaxTokens] = useState('');
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setIsBusy] = useState(false);
  const suggestions = useMemo(() => {
    const names = new Set(mentions);
    return matchingItems(agentItems, typed)
      .filter(({ name }) => !names.has(name))
      .slice(0, 20)
      .map((item) => ({ ...suggestionOf(item), value: item.name }));
  }, [agentItems, typed, mentions]);
  const send = async () => {
    setIsBusy(true);
    setProblem(undefined);
    try {
      const { requestId } = await request<RequestReceipt>(`/v1/sessions/${summary.id}/requests`, {
        body: {
          message,
          ...(files.length === 0 ? {} : { files }),
          ...(mentions.length === 0 ? {} : { mentions }),
          ...(maxTokens === '' ? {} : { budget: { maxTokens: Number(maxTokens) } }),
        },
      });
      setMessage('');
      onSent();
      setParams({ request: requestId }, 'push');
    } catch (error) {
      setProblem(asProblem(error));
    }
    setIsBusy(false);
  };
  return (
    <Panel title="Try a request" note="as a runtime would; no model is called">
      <Form class="stack" onSubmit={() => void send()}>
        {problem !== undefined && <ProblemNotice problem={problem} />}
        <MessageField value={message} onChange={setMessage} onSend={() => !isBusy && void send()} />
        <div class="sessions-try-options">
          <Chips label="Files in play" placeholder="Add a file…" values={files} onChange={setFiles} />
          <Chips
            label="Mentions"
            placeholder="Add an item…"
            values={mentions}
            onChange={setMentions}
            suggestions={suggestions}
            onInput={setTyped}
          />
          <TokenBudget value={maxTokens} onChange={setMaxTokens} />
        </div>
        <div class="cluster">
          <Button type="submit" kind="primary" icon={FlaskConical} disabled={isBusy || message.trim() === ''}>
            Build the request
          </Button>
        </div>
      </Form>
    </Panel>
  );
}

type MessageFieldProps = { value: string; onChange: (text: string) => void; onSend: () => void };

function MessageField({ value, onChange, onSend }: MessageFieldProps) {
  return (
    <Field
      label="Message of the user"
      hint="It becomes part of the session. The answer shows what a model would get, and why."
    >
      {(ids) => (
        <textarea
          {...ids}
          rows={2}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && value.trim() !== '') onSend();
          }}
        />
      )}
    </Field>
  );
}

function TokenBudget({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  return (
    <Field label="Token budget">
      {(ids) => (
        <input
          {...ids}
          type="number"
          min={0}
          step={1}
          placeholder="No limit"
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

const none: readonly Suggestion[] = [];

type ChipsProps = {
  label: string;
  placeholder: string;
  values: readonly string[];
  onChange: (values: readonly string[]) => void;
  suggestions?: readonly Suggestion[];
  onInput?: (text: string) => void;
};

/** A few values, each with a button to remove it. */
function Chips({ label, placeholder, values, onChange, suggestions = none, onInput }: ChipsProps) {
  const [text, setText] = useState('');
  const type = (typed: string) => {
    setText(typed);
    onInput?.(typed);
  };
  return (
    <div class="sessions-chips">
      <SuggestingInput
        label={label}
        placeholder={placeholder}
        value={text}
        onInput={type}
        suggestions={suggestions}
        onCommit={(value) => {
          const added = value.trim();
          if (added !== '' && !values.includes(added)) onChange([...values, added]);
          type('');
        }}
      />
      {values.length > 0 && (
        <ul class="cluster" aria-label={label}>
          {values.map((value) => (
            <li key={value}>
              <button
                type="button"
                class="sessions-chip"
                aria-label={`Remove ${visibleText(value)}`}
                onClick={() => onChange(values.filter((each) => each !== value))}
              >
                <Name>{value}</Name>
                <Icon icon={X} size={13} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
