/** Chooses the items of an agent or session for a prompt, as for a request, but stores nothing (RQ-01). */
import type { Agent } from '../agent/agent.ts';
import { mergeDomainOptions } from '../agent/item-search.ts';
import type { TokenCounts } from '../budget/token-counts.ts';
import { refuseField } from '../errors.ts';
import { defaultEncoding } from '../ports/token-encoding.ts';
import type { ItemQuestion, OfferedItems } from '../prompt/gather-rules.ts';
import type { Reason } from '../warnings.ts';
import { chooseItems } from './choose-items.ts';
import type { RequestParts } from './make-request.ts';
import { sendParts } from './sent-parts.ts';
import { alwaysItems, stateOf } from './session.ts';

/** Throws `not_found` for an agent or session that the caller does not have. */
export async function offerItems(
  { agentId, sessionId, mountedDirectory, query, expand, encoding = defaultEncoding, ...place }: ItemQuestion,
  { records, agents, catalogs, search, tokenCounts }: RequestParts & { tokenCounts: TokenCounts },
): Promise<OfferedItems> {
  const session = sessionId === undefined ? undefined : await records.get(sessionId);
  const id = session?.agentId ?? (agentId as string);
  const found = (await agents.find(id))?.agent;
  if (found === undefined)
    throw session === undefined
      ? refuseField('not_found', '/agentId', 'There is no agent with this id.')
      : refuseField('not_found', '/sessionId', 'The agent of this session no longer exists.');
  const agent = placedAt(mountedDirectory, found);
  const { mentions = [] } = place;
  const catalog = await catalogs.load({ agent }, place);
  const state = session && stateOf(session);
  const held = state?.contextItems ?? alwaysItems(catalog.items).map((item) => ({ ...item, reason: always }));
  const options = mergeDomainOptions(agent.settings, state);
  const choice = await chooseItems(
    { message: query, mentions, expand, held, options },
    catalog,
    query === '' ? unasked : search,
  );
  const { chosen } = await sendParts(choice.chosen, { tokenCounts, encoding });
  return { ...choice, chosen, warnings: [...catalog.warnings, ...choice.warnings] };
}

const always: Reason = { code: 'trigger_always' };

function placedAt(mountedDirectory: string, agent: Agent): Agent {
  if (agent.mountedDirectory === mountedDirectory) return agent;
  const { workingDirectory: _elsewhere, ...others } = agent;
  return { ...others, mountedDirectory };
}

const unasked: RequestParts['search'] = async () => ({
  results: [],
  semantic: { status: 'ready', engine: 'none', detail: 'The request has no query.' },
});
