/** One tool: what it says it does, what it takes, and a way to try it. */
import { Play, Square } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { McpServerEntry, McpToolList, ToolCallResult } from '../../../mcp/mcp-server.ts';
import { asProblem, Problem, request } from '../../api/request.ts';
import { Badge } from '../../elements/badge.tsx';
import { Button } from '../../elements/button.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { Field, Segmented } from '../../elements/fields.tsx';
import { LongText } from '../../elements/long-text.tsx';
import { ProblemNotice } from '../../elements/panel.tsx';
import { Name } from '../../elements/text.tsx';
import { ArgumentFields } from './arguments-form.tsx';
import { CallResult } from './call-result.tsx';
import { defaultTexts, fieldsOf, isPlain, type JsonObject, readFields, readJson, textsOf } from './json-schema.ts';
import { wordsOfAnnotations } from './server-words.ts';

export type Tool = McpToolList['tools'][number];

type DrawerProps = { server: McpServerEntry; tool: Tool; onClose: () => void };

export function ToolDrawer({ server, tool, onClose }: DrawerProps) {
  return (
    <Dialog
      shape="drawer"
      title={
        <>
          <span class="mono">
            <Name>{tool.name}</Name>
          </span>{' '}
          <span class="faint">
            of <Name>{server.name}</Name>
          </span>
        </>
      }
      onClose={onClose}
    >
      <ToolFlags tool={tool} />
      <Altered tool={tool} />
      {tool.description === '' ? (
        <p class="faint">It says nothing about itself.</p>
      ) : (
        <LongText text={tool.description} label="Description" />
      )}
      <TryTool server={server} tool={tool} />
      <details>
        <summary>Schema of its arguments</summary>
        <LongText text={JSON.stringify(tool.inputSchema, null, 2)} label="Schema of its arguments" />
      </details>
      {tool.outputSchema !== undefined && (
        <details>
          <summary>Schema of its result</summary>
          <LongText text={JSON.stringify(tool.outputSchema, null, 2)} label="Schema of its result" />
        </details>
      )}
      {tool.annotations !== undefined && (
        <details>
          <summary>Hints it gives about itself</summary>
          <LongText text={JSON.stringify(tool.annotations, null, 2)} label="Annotations" />
        </details>
      )}
    </Dialog>
  );
}

export function ToolFlags({ tool }: { tool: Pick<Tool, 'annotations' | 'altered'> }) {
  const words = wordsOfAnnotations(tool.annotations);
  if (words.length === 0 && tool.altered === undefined) return null;
  return (
    <span class="cluster">
      {tool.altered === true && (
        <Badge tone="warn" title="Invisible characters were removed, or text was cut.">
          altered
        </Badge>
      )}
      {words.map(({ text, tone }) => (
        <Badge key={text} tone={tone} title="The server says so; nothing relies on it.">
          {text}
        </Badge>
      ))}
    </span>
  );
}

/** In words what the badge says. */
export function Altered({ tool }: { tool: Pick<Tool, 'altered'> }) {
  if (tool.altered === undefined) return null;
  return <p class="faint">Invisible characters were removed from what the server says, or it was cut.</p>;
}

type Outcome = { result: ToolCallResult; tookMs: number } | { problem: Problem };

function TryTool({ server, tool }: Omit<DrawerProps, 'onClose'>) {
  const fields = fieldsOf(tool.inputSchema);
  const [mode, setMode] = useState<'form' | 'json'>(isPlain(tool.inputSchema) ? 'form' : 'json');
  const [texts, setTexts] = useState(() => defaultTexts(fields));
  const [json, setJson] = useState(() => JSON.stringify(readFields(fields, texts).values, null, 2));
  const [jsonError, setJsonError] = useState<string>();
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [outcome, setOutcome] = useState<Outcome>();
  const [call, setCall] = useState<AbortController>();
  const underWay = useRef<AbortController>(undefined);
  useEffect(() => () => underWay.current?.abort(), []);

  const change = (next: 'form' | 'json') => {
    if (next === 'json') setJson(JSON.stringify(readFields(fields, texts).values, null, 2));
    else {
      const read = readArguments(json);
      if ('error' in read) return setJsonError(read.error);
      const unknown = Object.keys(read.value).find((name) => !fields.some((field) => field.name === name));
      if (unknown !== undefined) return setJsonError(`The form has no field for “${unknown}”.`);
      setTexts(textsOf(fields, read.value));
    }
    setJsonError(undefined);
    setMode(next);
  };

  const run = async () => {
    setErrors({});
    setJsonError(undefined);
    let values: JsonObject;
    if (mode === 'form') {
      const read = readFields(fields, texts);
      setErrors(read.errors);
      if (Object.keys(read.errors).length > 0) return;
      values = read.values;
    } else {
      const read = readArguments(json);
      if ('error' in read) return setJsonError(read.error);
      values = read.value;
    }
    const controller = new AbortController();
    underWay.current = controller;
    setCall(controller);
    setOutcome(undefined);
    const from = performance.now();
    try {
      const result = await request<ToolCallResult>(
        `/v1/mcp/servers/${server.id}/tools/${encodeURIComponent(tool.name)}/call`,
        { body: { arguments: values }, signal: controller.signal },
      );
      setOutcome({ result, tookMs: performance.now() - from });
    } catch (error) {
      if (controller.signal.aborted) return setCall(undefined);
      const problem = asProblem(error);
      const { ofFields, rest } = sortErrors(problem, mode === 'form' ? fields.map(({ name }) => name) : []);
      setErrors(ofFields);
      setOutcome({ problem: rest });
    }
    setCall(undefined);
  };

  return (
    <section class="servers-try" aria-label="Try it">
      <header class="cluster">
        <h3>Try it</h3>
        {fields.length > 0 && (
          <Segmented
            label="Arguments as"
            value={mode}
            options={[
              { value: 'form', label: 'Form' },
              { value: 'json', label: 'JSON' },
            ]}
            onChange={change}
          />
        )}
      </header>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        {mode === 'form' ? (
          <ArgumentFields
            fields={fields}
            texts={texts}
            errors={errors}
            onChange={(name, text) => setTexts((last) => ({ ...last, [name]: text }))}
          />
        ) : (
          <Field
            label="Arguments as JSON"
            hint="An object; the tool’s schema decides what may be in it."
            error={jsonError}
          >
            {(ids) => (
              <textarea
                {...ids}
                class="mono"
                rows={Math.min(16, Math.max(5, json.split('\n').length))}
                spellcheck={false}
                value={json}
                onInput={(event) => setJson(event.currentTarget.value)}
              />
            )}
          </Field>
        )}
        <div class="cluster">
          <Button type="submit" kind="primary" icon={Play} disabled={call !== undefined}>
            {call === undefined ? 'Call the tool' : 'Waiting for the answer'}
          </Button>
          {call !== undefined && (
            <Button icon={Square} onClick={() => call.abort()}>
              Cancel
            </Button>
          )}
          {server.state !== 'ready' && call === undefined && (
            <span class="faint">The server does not run; the call starts it.</span>
          )}
        </div>
      </form>
      <div aria-live="polite">
        {outcome !== undefined &&
          ('problem' in outcome ? <ProblemNotice problem={outcome.problem} /> : <CallResult {...outcome} />)}
      </div>
    </section>
  );
}

function readArguments(text: string): { value: JsonObject } | { error: string } {
  const read = readJson(text);
  if ('error' in read) return read;
  const { value } = read;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { error: 'Must be a JSON object.' };
  return { value: value as JsonObject };
}

/** Errors that belong to a field of the form, by its name, and the problem with those that are left. */
function sortErrors(problem: Problem, names: readonly string[]): { ofFields: Record<string, string>; rest: Problem } {
  const ofFields: Record<string, string> = {};
  const left = problem.errors.filter(({ pointer, message }) => {
    const [, , segment = '', ...deeper] = pointer.split('/');
    const name = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!pointer.startsWith('/arguments/') || !names.includes(name)) return true;
    ofFields[name] = deeper.length === 0 ? message : `/${deeper.join('/')}: ${message}`;
    return false;
  });
  const { status, code, message, requestId } = problem;
  const id = requestId === undefined ? {} : { requestId };
  return { ofFields, rest: new Problem({ status, code, detail: message, errors: left, ...id }) };
}
