import { useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import { Button } from '../../elements/button.tsx';
import { Field, Form } from '../../elements/fields.tsx';
import { attempt, notify } from '../../elements/toasts.tsx';

/** Lets the user reply in place of a model. */
export function ReplyForm({ path, onReply }: { path: string; onReply: () => void }) {
  const [text, setText] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const send = async () => {
    setIsBusy(true);
    const isDone = await attempt(() => request(`${path}/reply`, { body: { modelReply: text } }));
    setIsBusy(false);
    if (!isDone) return;
    notify('The reply was added to the session.');
    onReply();
  };
  return (
    <Form class="sessions-reply" onSubmit={() => void send()}>
      <Field
        label="Reply in place of the model"
        hint="No reply was reported yet. A runtime would call its model with this request and report the answer. The console calls no model."
      >
        {(ids) => (
          <textarea
            {...ids}
            class="wide"
            rows={2}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
      <Button type="submit" disabled={isBusy || text.trim() === ''}>
        Report the reply
      </Button>
    </Form>
  );
}
