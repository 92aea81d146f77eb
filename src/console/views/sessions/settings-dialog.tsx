import { useState } from 'preact/hooks';
import type { SessionSummary } from '../../../session/session.ts';
import { asProblem, type Problem, request } from '../../api/request.ts';
import { Button } from '../../elements/button.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { Field, Form, Segmented } from '../../elements/fields.tsx';
import { ProblemNotice } from '../../elements/panel.tsx';
import { notify } from '../../elements/toasts.tsx';

const numbers = [
  { name: 'temperature', label: 'Temperature', hint: '0 to 2', step: 0.1, max: 2 },
  { name: 'topP', label: 'Top-p', hint: '0 to 1', step: 0.05, max: 1 },
  { name: 'maxOutputTokens', label: 'Max tokens of a reply', step: 1 },
  { name: 'maxChatTurns', label: 'Max turns for a message', step: 1 },
] as const;
const texts = [
  { name: 'currentModelProvider', label: 'Provider of the model' },
  { name: 'currentModelId', label: 'Model' },
] as const;
const permissions = [
  { value: 'always', label: 'Always ask' },
  { value: 'tool', label: 'As set for each' },
  { value: 'never', label: 'Never ask' },
] as const;

/** The settings that runtimes read from a session before they call its model. Only changed settings are sent. */
export function SettingsDialog({ summary, onClose }: { summary: SessionSummary; onClose: () => void }) {
  const [edits, setEdits] = useState<Record<string, string>>({});
  const [permission, setPermission] = useState(summary.toolPermission);
  const [problem, setProblem] = useState<Problem>();
  const textIn = (name: (typeof numbers)[number]['name'] | (typeof texts)[number]['name']) =>
    edits[name] ?? String(summary[name] ?? '');
  const edit = (name: string) => (event: { currentTarget: HTMLInputElement }) =>
    setEdits({ ...edits, [name]: event.currentTarget.value });
  const save = async () => {
    const body: Record<string, unknown> = {};
    for (const { name } of numbers) if (edits[name] !== undefined) body[name] = Number(edits[name] || Number.NaN);
    for (const { name } of texts) if (edits[name] !== undefined) body[name] = edits[name] === '' ? null : edits[name];
    if (permission !== summary.toolPermission) body.toolPermission = permission;
    try {
      await request(`/v1/sessions/${summary.id}`, { method: 'PATCH', body });
      notify('The settings are saved.');
      onClose();
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  return (
    <Dialog
      title="Settings of the session"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" onClick={() => void save()}>
            Save
          </Button>
        </>
      }
    >
      <Form class="sessions-settings" onSubmit={() => void save()}>
        {problem !== undefined && problem.errors.length === 0 && <ProblemNotice problem={problem} />}
        {texts.map(({ name, label }) => (
          <Field key={name} {...fieldProps(problem, name, { label })}>
            {(ids) => <input {...ids} type="text" value={textIn(name)} onInput={edit(name)} />}
          </Field>
        ))}
        {numbers.map(({ name, label, ...rest }) => (
          <Field key={name} {...fieldProps(problem, name, { label, hint: 'hint' in rest ? rest.hint : undefined })}>
            {(ids) => (
              <input
                {...ids}
                type="number"
                min={0}
                step={rest.step}
                max={'max' in rest ? rest.max : undefined}
                value={textIn(name)}
                onInput={edit(name)}
              />
            )}
          </Field>
        ))}
        <Segmented
          label="Calls of tools"
          value={permission}
          options={permissions}
          onChange={(value) => setPermission(value)}
        />
        {/* Pressing Enter in a field saves. */}
        <button type="submit" hidden>
          Save
        </button>
      </Form>
    </Dialog>
  );
}

/** The label and hint of a field, and its error. */
function fieldProps(problem: Problem | undefined, name: string, words: { label: string; hint?: string }) {
  const error = problem?.errors.find(({ pointer }) => pointer === `/${name}`)?.message;
  return { ...words, error };
}
