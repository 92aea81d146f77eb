import { useState } from 'preact/hooks';
import { connection } from '../api/events.ts';
import { asProblem } from '../api/request.ts';
import { codeIn, refusal, signInWithCode } from '../api/sign-in.ts';
import { Button } from '../elements/button.tsx';
import { Command } from '../elements/command.tsx';
import { Dialog } from '../elements/dialog.tsx';
import { Field, Form } from '../elements/fields.tsx';

/** How to sign in: first as the whole page, later over the page if the session ended during work. */
export function SignedOut({ isOver = false }: { isOver?: boolean }) {
  if (isOver)
    return (
      <Dialog title="Sign in again" onClose={() => {}}>
        <p>The session has ended. Nothing on this page is lost. Sign in to continue.</p>
        <SignInForm />
      </Dialog>
    );
  return (
    <main class="signed-out">
      <h1>contextd</h1>
      <p>This page shows and controls what a model sees. To sign in, run this on the machine of the daemon:</p>
      <SignInForm />
    </main>
  );
}

function SignInForm() {
  const [text, setText] = useState('');
  const [ownError, setError] = useState<string>();
  const error = ownError ?? (text === '' ? refusal.value : undefined);
  const [isBusy, setIsBusy] = useState(false);
  const isGone = connection.value === 'lost' || connection.value === 'moved';
  const submit = async () => {
    const code = codeIn(text);
    if (code === undefined) return setError('This is neither an address nor a code of “contextd open --print”.');
    setIsBusy(true);
    try {
      await signInWithCode(code);
    } catch (failure) {
      const problem = asProblem(failure);
      setError(
        problem.code === 'unauthorized'
          ? 'This code was used already or is older than a minute. Make a new one.'
          : problem.message,
      );
    }
    setIsBusy(false);
  };
  return (
    <>
      <Command text="contextd open" />
      <p class="faint">It opens a page that is signed in, and signs in this page too.</p>
      <Form onSubmit={() => void submit()}>
        <Field
          label="Or paste what “contextd open --print” prints"
          hint="An address that can be used once, within a minute."
          error={error}
        >
          {(ids) => (
            <input
              {...ids}
              class="wide"
              type="text"
              autocomplete="off"
              spellcheck={false}
              value={text}
              onInput={(event) => {
                setText(event.currentTarget.value);
                setError(undefined);
              }}
            />
          )}
        </Field>
        <Button type="submit" kind="primary" disabled={isBusy || text.trim() === '' || isGone}>
          Sign in
        </Button>
      </Form>
    </>
  );
}
