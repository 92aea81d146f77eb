import './supplementary.css';
import { useMemo } from 'preact/hooks';
import type { RetrieveResult } from '../../../retrieval/retrieve-result.ts';
import { request } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import { mountedDirectory, route } from '../../route.ts';
import { ChooseDirectory, OutsideRoots } from '../../shell/choose-directory.tsx';
import { sharesOf } from './item-words.ts';
import { ListPanel } from './list-panel.tsx';
import { retrieveRequestOf } from './prompt-controls.tsx';
import { PromptPanel } from './prompt-panel.tsx';
import { concernsDirectory, supplementaryEvents, useSupplementary } from './supplementary-list.ts';

/** The files and folders that the user added to a mounted directory, and what they contribute to a prompt. */
export function SupplementaryView() {
  const directory = mountedDirectory();
  if (directory === undefined) return <ChooseDirectory />;
  return <SupplementaryOf key={directory} mountedDirectory={directory} />;
}

function SupplementaryOf({ mountedDirectory }: { mountedDirectory: string }) {
  const list = useSupplementary(mountedDirectory);
  const { value, problem, reload } = list;
  const body = retrieveRequestOf(mountedDirectory, route.value.params);
  // The prompt depends on the state of the items as much as on the list.
  const state = value?.items.map(({ id, enabled }) => [id, enabled]);
  const prompt = useResource(
    value === undefined ? undefined : JSON.stringify([body, state]),
    (signal) => request<RetrieveResult>('/v1/retrieve', { body, signal }),
    { events: supplementaryEvents, concerns: (event) => concernsDirectory(event, mountedDirectory) },
  );
  const shares = useMemo(
    () => (value === undefined || prompt.value === undefined ? undefined : sharesOf(value.items, prompt.value)),
    [value, prompt.value],
  );
  if (problem?.code === 'path_outside_roots' && value === undefined)
    return <OutsideRoots directory={mountedDirectory} onGranted={reload} />;
  return (
    <div class="supplementary">
      <ListPanel mountedDirectory={mountedDirectory} list={list} shares={shares} />
      {(value !== undefined || problem === undefined) && (
        <PromptPanel mountedDirectory={mountedDirectory} prompt={prompt} />
      )}
    </div>
  );
}
