/** Verbs for the rules and references that are stored in an agent (AG-02). */
import { ContextdError, refuseField } from '../errors.ts';
import { anyVersion, type ExpectedVersion } from '../ports/expected-version.ts';
import { fixedLimits } from '../settings.ts';
import type { AgentRecords } from './agent-records.ts';
import type { InlineItem, NamedInlineItem } from './item.ts';

type InlineKind = 'rules' | 'references';

export type InlineItemVerbs = Readonly<{
  /** Adds or replaces a rule or reference. Throws like `put`, and `not_found` if there is no such agent. */
  putItem(
    place: { agentId: string; kind: InlineKind; name: string },
    item: NamedInlineItem,
    expected?: ExpectedVersion,
  ): Promise<{ item: InlineItem; etag: string; created: boolean }>;
  /** Throws `not_found` and `version_mismatch`. Returns the new version of the agent. */
  removeItem(place: { agentId: string; kind: InlineKind; name: string }, expected?: ExpectedVersion): Promise<string>;
}>;

export function createInlineItemVerbs(records: AgentRecords): InlineItemVerbs {
  return {
    async putItem({ agentId, kind, name }, item, expected = anyVersion) {
      if (item.name !== undefined && item.name !== name)
        throw refuseField('invalid_request', '/name', 'It must be the name in the path.');
      const { name: _name, ...rest } = item;
      const named: InlineItem = { name, ...rest };
      let created = false;
      const { etag } = await records.change(agentId, ({ agent, etag }) => {
        const present = agent[kind] ?? [];
        created = !present.some((each) => each.name === name);
        checkVersion(etag, expected, !created);
        if (created && present.length >= fixedLimits.agents.items)
          throw new ContextdError('limit_exceeded', `An agent may have at most ${fixedLimits.agents.items} ${kind}.`);
        const items = created ? [...present, named] : present.map((each) => (each.name === name ? named : each));
        return { ...agent, [kind]: items };
      });
      return { item: named, etag, created };
    },

    async removeItem({ agentId, kind, name }, expected = anyVersion) {
      const { etag } = await records.change(agentId, ({ agent, etag }) => {
        const present = agent[kind] ?? [];
        if (!present.some((each) => each.name === name))
          throw new ContextdError('not_found', `No item of this name is stored in the agent, in ${kind}.`);
        checkVersion(etag, expected, true);
        return { ...agent, [kind]: present.filter((each) => each.name !== name) };
      });
      return etag;
    },
  };
}

/** Compares with the version of the agent, because an item has no version of its own. */
function checkVersion(etag: string, expected: ExpectedVersion, isThere: boolean): void {
  if (expected(etag, isThere)) return;
  const item = isThere ? 'The agent has an item with this name' : 'The agent has no item with this name';
  throw new ContextdError('version_mismatch', `${item}, and the present version of the agent is "${etag}".`);
}
