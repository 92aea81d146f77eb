import { FolderLock, FolderOpen } from 'lucide';
import { useState } from 'preact/hooks';
import { visibleText } from '../../texts/visible-text.ts';
import { request } from '../api/request.ts';
import { useRoots } from '../api/roots.ts';
import { Button } from '../elements/button.tsx';
import { Command } from '../elements/command.tsx';
import { Confirm } from '../elements/dialog.tsx';
import { EmptyState, Panel } from '../elements/panel.tsx';
import { ResourceState } from '../elements/resource-state.tsx';
import { FilePath } from '../elements/text.tsx';
import { attempt, notify } from '../elements/toasts.tsx';
import { rememberDirectory } from '../recent-directories.ts';
import { setParams } from '../route.ts';
import { shellWord } from '../shell-word.ts';

/** Shown before a mounted directory is chosen: the granted roots, one click away. */
export function ChooseDirectory() {
  const granted = useRoots();
  const roots = granted.value?.roots.filter(({ origin }) => origin !== 'global');
  return (
    <Panel title="Mounted directory">
      <ResourceState resource={granted} rows={6} />
      {roots !== undefined && (roots.length === 0 ? <NoRoots /> : <Roots paths={roots.map(({ path }) => path)} />)}
    </Panel>
  );
}

function NoRoots() {
  return (
    <EmptyState
      icon={FolderLock}
      title="No directory is granted yet"
      action={<Command text="contextd roots grant ." />}
    >
      contextd reads only granted directories. Run this in a project; this page updates at once.
    </EmptyState>
  );
}

function Roots({ paths }: { paths: readonly string[] }) {
  const choose = (path: string) => {
    rememberDirectory(path);
    setParams({ dir: path }, 'push');
  };
  return (
    <EmptyState
      icon={FolderOpen}
      title="Choose a project"
      action={
        <ul class="directory-roots" aria-label="Granted directories">
          {paths.map((path) => (
            <li key={path}>
              <Button onClick={() => choose(path)}>
                <FilePath path={path} />
              </Button>
            </li>
          ))}
        </ul>
      }
    >
      Choose a granted directory, or enter a directory below it in the field above.
    </EmptyState>
  );
}

/** The mounted directory may not be read. Shows how to allow it, here or with the command. */
export function OutsideRoots({ directory, onGranted }: { directory: string; onGranted: () => void }) {
  const [isAsking, setIsAsking] = useState(false);
  const grant = () =>
    attempt(async () => {
      const { path } = await request<{ path: string }>('/v1/roots', { body: { path: directory } });
      onGranted();
      notify(`Granted: ${visibleText(path)}`, () => request('/v1/roots', { method: 'DELETE', query: { path } }));
    });
  return (
    <Panel title="Not granted">
      <EmptyState
        icon={FolderLock}
        title="contextd may not read this directory"
        action={
          <>
            <Command text={`contextd roots grant ${shellWord(directory)}`} />
            <Button kind="primary" onClick={() => setIsAsking(true)}>
              Grant it…
            </Button>
          </>
        }
      >
        <FilePath path={directory} /> is outside all granted directories. Grant it here, or with this command:
      </EmptyState>
      {isAsking && (
        <Confirm
          title="Grant this directory?"
          deed="Grant"
          kind="primary"
          onConfirm={() => void grant()}
          onClose={() => setIsAsking(false)}
        >
          <p>
            <FilePath path={directory} />
          </p>
          <p>
            contextd, and every program that has its token, can then read everything below this directory until you
            revoke it, even after a restart. Sensitive files are never read.
          </p>
        </Confirm>
      )}
    </Panel>
  );
}
