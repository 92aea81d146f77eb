import { describe, expect, it } from 'vitest';
import type { TokenCounter } from '../../src/ports/ports.ts';
import { chooseOmissions } from '../../src/session/request-messages.ts';
import { fixedLimits } from '../../src/settings.ts';
import { plainTokenCounter } from '../support/workspace.ts';
import { createExample, createTestSessions, exampleAgent, ruleB, shown } from './support/sessions.ts';

const item = (includeMode: 'always' | 'manual' | 'auto' | 'agent', tokens: number, similarityScore?: number) => ({
  name: `${includeMode}${similarityScore ?? tokens}`,
  includeMode,
  tokens,
  ...(similarityScore === undefined ? {} : { similarityScore }),
});
const items = [
  item('always', 11),
  item('always', 12),
  item('manual', 13),
  item('manual', 14),
  item('auto', 15),
  item('auto', 16),
  item('agent', 10, 0.9),
  item('agent', 10, 0.5),
];
const history = [5, 6, 7].map((tokens) => ({ tokens }));
const total = 101 + 18 + 20;

describe('the order in which things are let go', () => {
  it.each([
    [total, [], 0],
    [total - 1, ['agent0.5'], 0],
    [total - 11, ['agent0.5', 'agent0.9'], 0],
    [total - 21, ['agent0.5', 'auto16'], 0],
    [total - 36, ['agent0.5', 'agent0.9', 'auto16'], 0],
    [total - 51, ['agent0.5', 'agent0.9', 'auto16', 'auto15'], 0],
    [total - 52, ['agent0.5', 'agent0.9', 'auto16', 'auto15'], 1],
    [total - 69, ['agent0.5', 'agent0.9', 'auto16', 'auto15'], 3],
    [total - 70, ['agent0.5', 'agent0.9', 'auto16', 'auto15', 'manual14'], 1],
    [total - 97, ['agent0.5', 'agent0.9', 'auto16', 'auto15', 'manual14', 'manual13', 'always12'], 2],
    [20, ['agent0.5', 'agent0.9', 'auto16', 'auto15', 'manual14', 'manual13', 'always12', 'always11'], 3],
  ])('RQ-05 for a budget of %i tokens', (maxTokens, names, oldest) => {
    const omitted = chooseOmissions({ items, history, fixedTokens: 20 }, maxTokens);
    expect(omitted.items.map(({ name }) => name)).toEqual(names);
    expect(omitted.history).toBe(oldest);
    expect(omitted.historyBefore).toBe(Math.min(4, names.length));
    expect(omitted.fits).toBe(true);
  });

  it('RQ-05 never lets go of what costs nothing, nor of system prompt and message', () => {
    const free = [item('agent', 0, 0.1), item('always', 1)];
    const omitted = chooseOmissions({ items: free, history: [], fixedTokens: 20 }, 19);
    expect(omitted).toMatchObject({ items: [{ name: 'always1' }], history: 0, fits: false });
    expect(chooseOmissions({ items, history, fixedTokens: 20 }, undefined)).toMatchObject({
      items: [],
      fits: true,
    });
  });
});

describe('a request with a budget', () => {
  const tokensOf = (texts: readonly { content?: unknown }[]) =>
    texts.reduce((sum, { content }) => sum + Math.ceil(`${content}`.length / 4), 0);
  const question = { role: 'user' as const, content: 'question'.repeat(20) };
  const turn = [question, { role: 'assistant' as const, modelReply: 'answer' }];

  it('RQ-05 counts a call anew that was answered while the request was made', async () => {
    let whileCounting = async () => {};
    const tokenCounter: TokenCounter = {
      ...plainTokenCounter,
      async count(texts, encoding) {
        await whileCounting();
        return plainTokenCounter.count(texts, encoding);
      },
    };
    const call = { id: 'call_1', function: { name: 'f', arguments: '{}' } };
    const calling = { role: 'assistant' as const, content: 'I call.', tool_calls: [call] };
    const result = { role: 'tool' as const, tool_call_id: 'call_1', content: '5' };
    const historyTokens = async (isLate: boolean) => {
      const { sessions, session } = await createExample({ tokenCounter });
      await sessions.patch(session.id, { appendMessages: isLate ? [calling] : [calling, result] });
      if (isLate)
        whileCounting = async () => {
          whileCounting = async () => {};
          await sessions.patch(session.id, { appendMessages: [result] });
          await sessions.addItem(session.id, ruleB);
        };
      const { messages, usage } = await sessions.request(session.id, { message: 'q' });
      expect(messages).toContainEqual(calling);
      return usage.history;
    };
    expect(await historyTokens(true)).toBe(await historyTokens(false));
  });

  it('RQ-05 counts what is sent, and lists what is not', async () => {
    const { sessions, session, scores } = await createExample();
    scores.q = { C: 0.92 };
    await sessions.addItem(session.id, ruleB);
    await sessions.patch(session.id, { appendMessages: [{ role: 'user', content: 'x'.repeat(400) }] });
    const whole = await sessions.request(session.id, { message: 'q' });
    expect(whole.usage).toMatchObject({ tokens: tokensOf(whole.messages), history: 100, message: 1, systemPrompt: 3 });
    expect(whole.usage.items).toBe(whole.requestContext.items.reduce((sum, { tokens }) => sum + tokens, 0));
    expect(whole.omitted).toEqual([]);

    const maxTokens = 15;
    const cut = await sessions.request(session.id, { message: 'q', budget: { maxTokens } });
    expect(cut.usage.tokens).toBe(tokensOf(cut.messages));
    expect(cut.usage.tokens).toBeLessThanOrEqual(maxTokens);
    expect(cut.messages.at(0)?.content).toBe('You help.');
    expect(cut.messages.at(-1)?.content).toBe('q');
    expect(shown(cut.requestContext.items)).toEqual(['rule A always', 'reference X always']);
    const reason = { code: 'over_budget', detail: '0 of 15 tokens were left' };
    expect(cut.omitted).toEqual([
      { type: 'rule', name: 'C', includeMode: 'agent', similarityScore: 0.92, tokens: 4, reason },
      { type: 'history', messages: 1, tokens: 100, reason },
      { type: 'rule', name: 'B', includeMode: 'manual', tokens: 4, reason },
    ]);
    expect((await sessions.getRequest(session.id, cut.requestId)).messages).toEqual(cut.messages);
  });

  it('RQ-05 lets an answer go with its question: many models refuse a history that begins with an answer', async () => {
    const { sessions, session } = await createExample();
    await sessions.patch(session.id, { appendMessages: [...turn, ...turn] });
    const { usage } = await sessions.request(session.id, { message: 'q' });
    const cut = await sessions.request(session.id, { message: 'q', budget: { maxTokens: usage.tokens - 1 } });
    expect(cut.messages.slice(1, 3)).toMatchObject([{ role: 'user' }, { role: 'assistant', content: 'answer' }]);
    expect(cut.omitted).toMatchObject([{ type: 'history', messages: 2 }]);
    expect((await sessions.getRequest(session.id, cut.requestId)).messages).toEqual(cut.messages);
  });

  it('RQ-05 keeps the end of a turn that does not fit as a whole', async () => {
    const { sessions, session } = await createExample();
    const answers = ['first', 'second', 'third'].map((modelReply) => ({ role: 'assistant' as const, modelReply }));
    await sessions.patch(session.id, { appendMessages: [question, ...answers] });
    const cut = await sessions.request(session.id, { message: 'q', budget: { maxTokens: 30 } });
    expect(cut.messages.slice(2, 5)).toMatchObject(answers.map(({ modelReply }) => ({ content: modelReply })));
    expect(cut.omitted).toMatchObject([{ type: 'history', messages: 1 }]);
    expect((await sessions.getRequest(session.id, cut.requestId)).messages).toEqual(cut.messages);
  });

  it('RQ-05 begins with a message of the user where only the end of a turn is sent, within the budget', async () => {
    const ask = async (maxTokens: number) => {
      const { sessions, session } = await createExample();
      await sessions.patch(session.id, { appendMessages: turn });
      const made = await sessions.request(session.id, { message: 'q', budget: { maxTokens } });
      expect(made.usage.tokens).toBe(tokensOf(made.messages));
      expect((await sessions.getRequest(session.id, made.requestId)).messages).toEqual(made.messages);
      return made;
    };
    const cut = await ask(30);
    expect(cut.messages.slice(1, 3)).toEqual([
      { role: 'user', content: 'Earlier messages were left out.' },
      { role: 'assistant', content: 'answer' },
    ]);
    const { usage, messages, omitted } = await ask(cut.usage.tokens - 1);
    expect(usage.history).toBe(0);
    expect(messages.map(({ role }) => role)).not.toContain('assistant');
    expect(omitted).toMatchObject([{ type: 'history', messages: 2, tokens: 42 }]);
  });

  it.each([20, 25])(
    'RQ-05 lets no item of the user go for the end of a turn, with a budget of %i',
    async (maxTokens) => {
      const { sessions, session } = await createExample();
      await sessions.addItem(session.id, ruleB);
      await sessions.patch(session.id, { appendMessages: turn });
      const { requestContext, usage, omitted } = await sessions.request(session.id, {
        message: 'q',
        budget: { maxTokens },
      });
      expect(shown(requestContext.items)).toEqual(['rule A always', 'reference X always', 'rule B manual']);
      expect(usage).toMatchObject({ tokens: 18, history: 0 });
      expect(omitted).toMatchObject([{ type: 'history', messages: 2, tokens: 42 }]);
    },
  );

  it('RQ-05 begins with a question also where older messages are too many to be read', async () => {
    const { sessions, session } = await createExample();
    const short = [
      { role: 'user' as const, content: 'q' },
      { role: 'assistant' as const, modelReply: 'a' },
    ];
    const appendMessages = Array.from({ length: 50 }, () => short).flat();
    for (let sent = 0; sent < fixedLimits.sessions.answerMessages; sent += appendMessages.length)
      await sessions.patch(session.id, { appendMessages });
    await sessions.patch(session.id, { appendMessages: [{ role: 'user', content: 'and?' }] });
    const { messages, omitted } = await sessions.request(session.id, { message: 'q' });
    expect(messages[1]).toEqual({ role: 'user', content: 'q' });
    expect(messages).toHaveLength(fixedLimits.sessions.answerMessages - 1 + 4);
    expect(omitted).toMatchObject([{ type: 'history', messages: 2, reason: { code: 'limit_reached' } }]);
  });

  it('RQ-05 says when prompt and message alone are too large, and sends them whole', async () => {
    const { sessions, session } = await createExample();
    const message = 'y'.repeat(1_000);
    const { messages, warnings, requestContext } = await sessions.request(session.id, {
      message,
      budget: { maxTokens: 0 },
    });
    expect(messages.map(({ content }) => content)).toEqual(['You help.', message]);
    expect(requestContext.items).toEqual([]);
    expect(warnings.map(({ code }) => code)).toEqual(['over_budget']);
  });

  it('RQ-05 counts in the encoding that is asked for, and says when it cannot', async () => {
    const seen: string[] = [];
    const { agents, sessions } = createTestSessions({
      tokenCounter: {
        async count(texts, encoding) {
          seen.push(encoding);
          if (encoding === 'r50k_base') throw new Error('gone');
          return texts.map(() => 1);
        },
        dispose() {},
      },
    });
    await agents.put('example', exampleAgent);
    const { id } = await sessions.create({ agentId: 'example' });
    const exact = await sessions.request(id, { message: 'q', budget: { encoding: 'cl100k_base' } });
    expect(exact.usage).toEqual({ tokens: 4, systemPrompt: 1, history: 0, items: 2, message: 1 });
    const guessed = await sessions.request(id, { message: '12345678', budget: { encoding: 'r50k_base' } });
    expect(guessed.usage).toMatchObject({ message: 2, estimated: true });
    expect(seen).toEqual(['cl100k_base', 'r50k_base']);
  });
});
