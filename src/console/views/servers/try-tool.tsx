/** A form that calls a tool. */
import { Play, Square } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { McpServerEntry, ToolCallResult } from '../../../mcp/server-requests.ts';
import { asProblem, Problem, request } from '../../api/request.ts';
import { Button } from '../../elements/button.tsx';
import { Field, Form, Segmented } from '../../elements/fields.tsx';
import { ProblemNotice } from '../../elements/panel.tsx';
import { ArgumentFields } from './arguments-form.tsx';
import { CallResult } from './call-result.tsx';
import { defaultTexts, fieldsOf, isPlain, type JsonObject, readFields, readJson, textsOf } from './json-schema.ts';
import type { Tool } from './tool-drawer.tsx';

type Outcome = { result: ToolCallResult; tookMs: number } | { problem: Problem };

/** The arguments of a tool as a form or as JSON, and the answer to the call. */
export function TryTool({ server, tool }: { server: McpServerEntry; tool: Tool }) {
  const fields = fieldsOf(tool.inputSchema);
  const [mode, setMode] = useState<'form' | 'json'>(isPlain(tool.inputSchema) ? 'form' : 'json');
  const [texts, setTexts] = useState(() => defaultTexts(fields));
  const [json, setJson] = useState(() => JSON.stringify(readFields(fields, texts).values, null, 2));
  const [jsonError, setJsonError] = useState<string>();
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const { outcome, call, start } = useToolCall(server, tool);

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
    if (mode === 'json') {
      const read = readArguments(json);
      if ('error' in read) return setJsonError(read.error);
      return start(read.value, { names: [], onErrors: setErrors });
    }
    const { values, errors } = readFields(fields, texts);
    setErrors(errors);
    if (Object.keys(errors).length > 0) return;
    await start(values, { names: fields.map(({ name }) => name), onErrors: setErrors });
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
      <Form class="stack" onSubmit={() => void run()}>
        {mode === 'form' ? (
          <ArgumentFields
            fields={fields}
            texts={texts}
            errors={errors}
            onChange={(name, text) => setTexts((last) => ({ ...last, [name]: text }))}
          />
        ) : (
          <JsonField json={json} error={jsonError} onChange={setJson} />
        )}
        <CallButtons call={call} isRunning={server.state === 'ready'} />
      </Form>
      <div aria-live="polite">
        {outcome !== undefined &&
          ('problem' in outcome ? <ProblemNotice problem={outcome.problem} /> : <CallResult {...outcome} />)}
      </div>
    </section>
  );
}

/** Calls of one tool. Leaving the page aborts a running call. */
function useToolCall(server: McpServerEntry, tool: Tool) {
  const [outcome, setOutcome] = useState<Outcome>();
  const [call, setCall] = useState<AbortController>();
  const underWay = useRef<AbortController>(undefined);
  useEffect(() => () => underWay.current?.abort(), []);
  /** `onErrors` gets the errors that belong to the fields in `names`. */
  const start = async (
    values: JsonObject,
    { names, onErrors }: { names: readonly string[]; onErrors: (errors: Readonly<Record<string, string>>) => void },
  ) => {
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
      const { ofFields, rest } = sortErrors(problem, names);
      onErrors(ofFields);
      setOutcome({ problem: rest });
    }
    setCall(undefined);
  };
  return { outcome, call, start };
}

type JsonFieldProps = { json: string; error: string | undefined; onChange: (json: string) => void };

function JsonField({ json, error, onChange }: JsonFieldProps) {
  return (
    <Field label="Arguments as JSON" hint="A JSON object that matches the schema of the tool." error={error}>
      {(ids) => (
        <textarea
          {...ids}
          class="mono"
          rows={Math.min(16, Math.max(5, json.split('\n').length))}
          spellcheck={false}
          value={json}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

function CallButtons({ call, isRunning }: { call: AbortController | undefined; isRunning: boolean }) {
  return (
    <div class="cluster">
      <Button type="submit" kind="primary" icon={Play} disabled={call !== undefined}>
        {call === undefined ? 'Call the tool' : 'Waiting for the answer'}
      </Button>
      {call !== undefined && (
        <Button icon={Square} onClick={() => call.abort()}>
          Cancel
        </Button>
      )}
      {!isRunning && call === undefined && <span class="faint">The server does not run; the call starts it.</span>}
    </div>
  );
}

function readArguments(text: string): { value: JsonObject } | { error: string } {
  const read = readJson(text);
  if ('error' in read) return read;
  const { value } = read;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { error: 'Must be a JSON object.' };
  return { value: value as JsonObject };
}

/** Splits a problem into the errors of single form fields, by field name, and a problem with the remaining errors. */
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
  return { ofFields, rest: new Problem({ status, code, detail: message, errors: left, requestId }) };
}
