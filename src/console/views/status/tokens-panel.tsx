/** Tokens for agent runtimes. They give fewer rights than the user's own token (S-15). */
import { KeyRound, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import type { AccessTokenList, MintedToken } from '../../../../routes/tokens.ts';
import { usePolling } from '../../api/polling.ts';
import { request } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import { Button, IconButton } from '../../elements/button.tsx';
import { Command } from '../../elements/command.tsx';
import { Confirm } from '../../elements/dialog.tsx';
import { Field, Form } from '../../elements/fields.tsx';
import { Panel } from '../../elements/panel.tsx';
import { ResourceState } from '../../elements/resource-state.tsx';
import { Ago, countOf, Name } from '../../elements/text.tsx';
import { attempt, notify } from '../../elements/toasts.tsx';

type Token = AccessTokenList['tokens'][number];

export function TokensPanel() {
  const resource = useResource('tokens', (signal) => request<AccessTokenList>('/v1/tokens', { signal }));
  const { value, reload, refresh } = resource;
  // No event reports changes by other clients.
  usePolling(refresh, 5_000);
  const [label, setLabel] = useState('');
  const [minted, setMinted] = useState<MintedToken>();
  const [asked, setAsked] = useState<Token>();
  const tokens = value?.tokens ?? [];
  const [isMinting, setIsMinting] = useState(false);
  const mint = async () => {
    // A second new token would hide the first one, which is shown only once.
    setIsMinting(true);
    await attempt(async () => {
      setMinted(await request<MintedToken>('/v1/tokens', { body: { scope: 'agent', label: label.trim() } }));
      setLabel('');
      reload();
    });
    setIsMinting(false);
  };
  const revoke = ({ id, label }: Token) =>
    attempt(async () => {
      await request(`/v1/tokens/${id}`, { method: 'DELETE' });
      if (minted?.id === id) setMinted(undefined);
      notify(`The token “${label || id.slice(0, 8)}” is revoked.`);
      reload();
    });
  return (
    <Panel title="Tokens of agents" note={value && countOf(tokens.length, 'token')}>
      <div class="stack">
        <p class="status-explanation">
          For agent runtimes. Such a token can read and search context, hold sessions, and call tools of approved
          servers. It cannot approve, grant, write policies, or delete.
        </p>
        <ResourceState resource={resource} rows={2} />
        {minted !== undefined && <Minted minted={minted} onKept={() => setMinted(undefined)} />}
        {tokens.length > 0 && <TokenRows tokens={tokens} onRevoke={setAsked} />}
        <Form class="status-form" onSubmit={() => void mint()}>
          <Field label="What it is for" hint="To tell it from other tokens.">
            {(ids) => (
              <input
                {...ids}
                type="text"
                maxLength={200}
                autocomplete="off"
                value={label}
                onInput={(event) => setLabel(event.currentTarget.value)}
              />
            )}
          </Field>
          <Button type="submit" icon={KeyRound} disabled={isMinting}>
            Mint a token
          </Button>
        </Form>
      </div>
      {asked !== undefined && (
        <Confirm
          title="Revoke this token?"
          deed="Revoke"
          onConfirm={() => void revoke(asked)}
          onClose={() => setAsked(undefined)}
        >
          <p>
            Whoever uses “<Name>{asked.label || asked.id.slice(0, 8)}</Name>” is refused from now on. You cannot restore
            the token, but you can mint a new one.
          </p>
        </Confirm>
      )}
    </Panel>
  );
}

function Minted({ minted, onKept }: { minted: MintedToken; onKept: () => void }) {
  return (
    <div class="status-minted" role="status">
      <p>
        The token
        {minted.label !== '' && (
          <>
            {' '}
            “<Name>{minted.label}</Name>”
          </>
        )}
        , shown only now:
      </p>
      <Command text={minted.token} label="Copy the token" />
      <Button onClick={onKept}>I have kept it</Button>
    </div>
  );
}

function TokenRows({ tokens, onRevoke }: { tokens: readonly Token[]; onRevoke: (token: Token) => void }) {
  return (
    <ul class="status-rows" aria-label="Tokens">
      {tokens.map((token) => (
        <li key={token.id}>
          <div>
            <p class="status-row-name">
              {token.label === '' ? <em class="faint">without a label</em> : <Name>{token.label}</Name>}
            </p>
            <p class="faint">
              <code>{token.id.slice(0, 8)}</code>, minted <Ago time={token.createdAt} />
            </p>
          </div>
          <IconButton
            icon={Trash2}
            label={`Revoke the token ${token.label || token.id.slice(0, 8)}`}
            onClick={() => onRevoke(token)}
          />
        </li>
      ))}
    </ul>
  );
}
