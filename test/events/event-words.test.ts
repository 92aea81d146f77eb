import { describe, expect, it } from 'vitest';
import { wordsOfEvent } from '../../src/events/event-words.ts';

describe('the words of an event', () => {
  it('say states and reasons without the underscores of their codes', () => {
    const reason = { code: 'approval_required', detail: 'It is new.' };
    const server = { id: 's', name: 'git_tools', mountedDirectory: '/w', state: 'needs_approval', reason };
    expect(wordsOfEvent({ type: 'mcp-state-changed', data: server } as never)).toBe(
      'git_tools: needs approval, It is new.',
    );
    expect(wordsOfEvent({ type: 'resync', data: { reason: 'store_cut_off' } })).toBe(
      'something may have been missed (store cut off)',
    );
  });
});
