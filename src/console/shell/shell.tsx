import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { connection } from '../api/events.ts';
import { Problem, sessionToken } from '../api/request.ts';
import { isSignedOut } from '../api/sign-in.ts';
import { ProblemNotice, Skeleton } from '../elements/panel.tsx';
import { Toasts } from '../elements/toasts.tsx';
import { addressOf, route } from '../route.ts';
import { views } from '../views/views.ts';
import { ConnectionNotice } from './connection-notice.tsx';
import { DirectoryPicker } from './directory-picker.tsx';
import { Keyboard } from './keyboard.tsx';
import { Navigation } from './navigation.tsx';
import { SignedOut } from './signed-out.tsx';

/** The frame around the views. If the daemon is away, it stays, with the content of the views. */
export function Shell() {
  const hasBeenSignedIn = useRef(false);
  const isSignedIn = sessionToken.value !== undefined;
  if (isSignedIn) hasBeenSignedIn.current = true;
  if (isSignedOut.value) hasBeenSignedIn.current = false;
  if (!isSignedIn && !hasBeenSignedIn.current) return <SignedOut />;
  return (
    <>
      <button type="button" class="skip-link" onClick={() => document.getElementById('view')?.focus()}>
        Skip to the view
      </button>
      <div class="shell">
        <Navigation />
        <header class="top-bar">
          <DirectoryPicker />
        </header>
        <main id="view" tabIndex={-1}>
          <CurrentView />
        </main>
      </div>
      <ConnectionNotice />
      {!isSignedIn && <SignedOut isOver />}
      <Toasts />
      <Keyboard />
    </>
  );
}

const loaded = new Map<string, ComponentType>();

function CurrentView() {
  const name = route.value.view;
  const view = views.find((each) => each.name === name);
  const [problem, setProblem] = useState<Problem>();
  const wasGone = useRef(false);
  const state = connection.value;
  const [, draw] = useState(0);
  useEffect(() => {
    document.title = view === undefined ? 'contextd' : `${view.title} · contextd`;
    setProblem(undefined);
    wasGone.current = false;
    if (view === undefined || loaded.has(view.name)) return;
    let isLeft = false;
    view.load().then(
      (component) => {
        loaded.set(view.name, component);
        draw((last) => last + 1);
      },
      () => {
        if (!isLeft)
          setProblem(new Problem({ status: 0, code: 'unreachable', detail: 'This view could not be loaded.' }));
      },
    );
    return () => {
      isLeft = true;
    };
  }, [view]);
  useEffect(() => {
    if (problem === undefined) return;
    // A browser may remember that a part failed, so only a reload of the page certainly requests it again.
    if (state === 'lost') wasGone.current = true;
    else if (state === 'connected' && wasGone.current) location.reload();
  }, [problem, state]);
  if (view === undefined)
    return (
      <p>
        There is no view “{name}”. <a href={addressOf('workspace')}>Go to the workspace</a>
      </p>
    );
  // A page that is older than the daemon requests parts that no longer exist. A reload gets the new ones.
  if (problem !== undefined && state === 'connected' && !wasGone.current)
    return <ProblemNotice problem={problem} onRetry={() => location.reload()} />;
  const Component = loaded.get(view.name);
  return (
    <>
      <h1 class="view-title">{view.title}</h1>
      {Component === undefined ? <Skeleton rows={8} /> : <Component key={view.name} />}
    </>
  );
}
