import type { SearchRequest } from '../../../agent/item-search.ts';
import type { SemanticStatus } from '../../../context/resolve-result.ts';
import { useSearchStatus } from '../../api/search-status.ts';
import { Command } from '../../elements/command.tsx';
import { Notice } from '../../elements/panel.tsx';
import { Name, semanticWords } from '../../elements/text.tsx';
import { addressOf } from '../../route.ts';
import { shellWord } from '../../shell-word.ts';

/** Why there was no search by meaning, and what to do. Empty if there was one, or if it was not wanted. */
export function SemanticNotice({ semantic, asked }: { semantic: SemanticStatus; asked: SearchRequest }) {
  const isReady = semantic.status === 'ready';
  const { value } = useSearchStatus(!isReady);
  if (isReady) return null;
  const isOnItsWay = value?.state === 'loading' || value?.state === 'downloading' || (value?.jobs.length ?? 0) > 0;
  const command = commandFor(asked);
  return (
    <Notice action={<a href={addressOf('status')}>Status</a>}>
      <p>
        {semanticWords[semantic.status]}. {semantic.detail !== undefined && <Name>{semantic.detail}</Name>}
      </p>
      {isOnItsWay ? (
        <p>The model is being prepared. This page searches again when it is ready.</p>
      ) : (
        value !== undefined && <Command text={command} />
      )}
    </Notice>
  );
}

function commandFor({ agentId, mountedDirectory }: SearchRequest): string {
  if (agentId !== undefined) return `contextd warm --agent ${agentId}`;
  return mountedDirectory === undefined ? 'contextd warm' : `contextd warm ${shellWord(mountedDirectory)}`;
}
