/** The directories whose files may be read (CC-33). */
import { FolderPlus, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import type { GrantedRoot } from '../../../access/roots.ts';
import { usePolling } from '../../api/polling.ts';
import { messageOf, request } from '../../api/request.ts';
import { useRoots } from '../../api/roots.ts';
import { Button, IconButton } from '../../elements/button.tsx';
import { EmptyState, Panel } from '../../elements/panel.tsx';
import { ResourceState } from '../../elements/resource-state.tsx';
import { SuggestingInput } from '../../elements/suggesting-input.tsx';
import { Ago, countOf, FilePath } from '../../elements/text.tsx';
import { attempt, notify } from '../../elements/toasts.tsx';
import { recentDirectories } from '../../recent-directories.ts';

const grant = (path: string) => request<GrantedRoot>('/v1/roots', { body: { path } });

export function RootsPanel() {
  const roots = useRoots();
  const { value, reload, refresh } = roots;
  // No event reports changes by other clients.
  usePolling(refresh, 5_000);
  const list = value?.roots ?? [];
  const revoke = (path: string) =>
    attempt(async () => {
      await request('/v1/roots', { method: 'DELETE', body: { path } });
      reload();
      notify(`${path} is no longer granted.`, async () => {
        await grant(path);
        reload();
      });
    });
  return (
    <Panel title="Granted roots" note={value && countOf(list.length, 'directory', 'directories')}>
      <div class="stack">
        <ResourceState resource={roots} rows={3} />
        {value !== undefined && list.length === 0 && (
          <EmptyState title="No directory is granted">
            Grant the directory of a project below, or run: contextd roots grant &lt;directory&gt;
          </EmptyState>
        )}
        {list.length > 0 && (
          <ul class="status-rows" aria-label="Granted roots">
            {list.map((root) => (
              <li key={`${root.origin} ${root.path}`}>
                <div>
                  <FilePath path={root.path} />
                  <p class="faint">
                    <Origin root={root} />
                  </p>
                </div>
                {root.origin === 'stored' && (
                  <IconButton icon={Trash2} label={`Revoke ${root.path}`} onClick={() => void revoke(root.path)} />
                )}
              </li>
            ))}
          </ul>
        )}
        <GrantForm granted={list.map(({ path }) => path)} onGranted={reload} />
      </div>
    </Panel>
  );
}

function Origin({ root: { origin, grantedAt } }: { root: GrantedRoot }) {
  if (origin === 'start') return <>granted when the daemon started; stays until it stops</>;
  if (origin === 'global') return <>the global context directory</>;
  return <>granted {grantedAt === undefined ? 'permanently' : <Ago time={grantedAt} />}</>;
}

function GrantForm({ granted, onGranted }: { granted: readonly string[]; onGranted: () => void }) {
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const submit = async (path: string) => {
    if (path.trim() === '') return;
    try {
      const root = await grant(path.trim());
      setText('');
      notify(`${root.path} is granted.`);
      onGranted();
    } catch (failure) {
      setError(messageOf(failure));
    }
  };
  const suggestions = recentDirectories.value
    .filter((path) => !granted.includes(path) && path.toLowerCase().includes(text.toLowerCase()))
    .map((path) => ({ value: path, label: <FilePath path={path} />, detail: 'used before' }));
  return (
    <div class="status-form">
      <SuggestingInput
        label="Grant a directory"
        placeholder="/home/…/project"
        inputClass="mono"
        hint="The daemon may then read this directory and everything below it."
        error={error}
        value={text}
        onInput={(next) => {
          setText(next);
          setError(undefined);
        }}
        onCommit={(path) => {
          setText(path);
          void submit(path);
        }}
        suggestions={suggestions}
      />
      <Button icon={FolderPlus} disabled={text.trim() === ''} onClick={() => void submit(text)}>
        Grant
      </Button>
    </div>
  );
}
