/** Requests of sessions that say what is open in an editor (RQ-07), of the real daemon. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RebuiltRequest, RequestReceipt } from '../../src/session/request.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

const workspace = temporaryDirectory();
const write = (path: string, text: string) => writeTree(workspace, { [path]: text });
let daemon: TestDaemon;
let requests: string;

beforeAll(async () => {
  write('AGENTS.md', 'Count in cents.\n');
  write('.context/style.md', '---\ntrigger: auto\nglobs: "**/*.ts"\n---\nWrite short functions.\n');
  write('src/cart.ts', 'export const none = 1;\n');
  write('src/discount.ts', 'export const discount = 5;\n');
  write('src/secret.ts', 'export const hidden = 1;\n');
  write('src/zebra.ts', 'export const zebra = "rounds";\n');
  write('.ai-context-policy.yaml', 'ai_context_policy: allow\nexclude: [src/secret.ts]\n');
  daemon = await startDaemon({ grantRoots: [workspace] });
  const agent = { name: 'Reviewer', mountedDirectory: workspace, systemPrompt: 'You review.' };
  await daemon.request('/v1/agents/reviewer', { method: 'PUT', body: agent });
  const { body } = await daemon.request('/v1/sessions', { body: { agentId: 'reviewer' } });
  requests = `/v1/sessions/${(body as { id: string }).id}/requests`;
});
afterAll(() => daemon.stop());

async function ask(request: object): Promise<RequestReceipt> {
  const { status, body, text } = await daemon.request(requests, { body: { message: 'Is it right?', ...request } });
  expect(status, text).toBe(201);
  return body as RequestReceipt;
}
const contents = ({ messages }: Pick<RequestReceipt, 'messages'>) => messages.map(({ content }) => content as string);
const brief = ({ requestContext }: Pick<RequestReceipt, 'requestContext'>) =>
  requestContext.context?.map(({ kind, name }) => `${kind} ${name}`);
const cart = {
  path: 'src/cart.ts',
  content: "import { discount } from './discount.ts';\nexport const total = discount;\n",
  cursor: { line: 1, column: 24 },
  isActive: true,
};

describe('RQ-07 a request of a session', () => {
  it('without documents and include is what it was', async () => {
    const receipt = await ask({ files: ['src/cart.ts'] });
    expect(receipt.requestContext.context).toBeUndefined();
    expect(receipt.usage.context).toBeUndefined();
    expect(contents(receipt)).toEqual([
      'You review.',
      'Rule: Count in cents.\n',
      'Rule: Write short functions.\n',
      'Is it right?',
    ]);
  });

  it('takes along what its documents import, as they are shown, in front of the message of the user', async () => {
    const receipt = await ask({ documents: [cart] });
    expect(brief(receipt)).toEqual(['definition src/discount.ts']);
    const sent = contents(receipt).slice(-3);
    expect(sent).toEqual([
      'Rule: Write short functions.\n',
      expect.stringContaining('export const discount = 5;'),
      'Is it right?',
    ]);
    const { tokens, systemPrompt, history, items, message, context = 0 } = receipt.usage;
    expect(context).toBeGreaterThan(0);
    expect(tokens).toBe(systemPrompt + history + items + message + context);
    expect(context).toBe(receipt.requestContext.context?.reduce((sum, item) => sum + item.tokens, 0));
  });

  it('goes by the text of a rule that is not saved, and sends nothing twice', async () => {
    const receipt = await ask({ documents: [cart, { path: 'AGENTS.md', content: 'Count in euros.\n' }] });
    expect(contents(receipt)).toContain('Rule: Count in euros.\n');
    expect(contents(receipt).filter((text) => text.includes('Count in euros.'))).toHaveLength(1);
    expect(brief(receipt)).toEqual(['definition src/discount.ts']);
  });

  it('includes what it is told to, and names what is kept from models', async () => {
    const found = await ask({ message: 'zebra', include: { imports: 'off', rules: false } });
    expect(brief(found)).toEqual(['search src/zebra.ts']);
    expect(found.requestContext.items).toEqual([]);
    const none = await ask({ documents: [cart], include: { imports: 'off', search: false } });
    expect(brief(none)).toEqual([]);
    const blocked = await ask({ documents: [cart, { path: 'src/secret.ts', content: 'export const hidden = 2;\n' }] });
    expect(JSON.stringify(blocked)).not.toContain('hidden = 2');
    const path = join(workspace, 'src/secret.ts');
    const reason = expect.objectContaining({ code: 'blocked_by_policy' });
    expect(blocked.omitted).toContainEqual({ type: 'context', kind: 'tab', path, reason, tokens: 0 });
  });

  it('leaves to the workspace what the rest leaves of the budget', async () => {
    const free = await ask({ documents: [cart] });
    const { history: _history, context: _context, tokens: _tokens, ...fixed } = free.usage;
    const rest = fixed.systemPrompt + fixed.items + fixed.message;
    const tight = await ask({ documents: [cart], budget: { maxTokens: rest + 3 } });
    expect(brief(tight)).toEqual([]);
    expect(tight.omitted).toContainEqual(
      expect.objectContaining({
        type: 'context',
        kind: 'definition',
        reason: expect.objectContaining({ code: 'over_budget' }),
      }),
    );
    expect(tight.usage.tokens).toBeLessThanOrEqual(rest + 3);
  });

  it('can be read later as it was sent, whatever has become of the files', async () => {
    const receipt = await ask({ documents: [cart], include: { search: false } });
    write('src/discount.ts', 'export const discount = 6;\n');
    const { body, status, text } = await daemon.request(`${requests}/${receipt.requestId}`);
    expect(status, text).toBe(200);
    const rebuilt = body as RebuiltRequest;
    expect(rebuilt.messages).toEqual(receipt.messages);
    expect(rebuilt.requestContext.context).toEqual(receipt.requestContext.context);
    const { content: _content, ...shown } = cart;
    expect(rebuilt.documents).toEqual([{ ...shown, path: join(workspace, 'src/cart.ts') }]);
    expect(rebuilt.include).toEqual({ search: false });
    const shownByCommand = await daemon.cli([
      'sessions',
      'context',
      requests.split('/')[3] as string,
      receipt.requestId,
    ]);
    expect(shownByCommand.stdout).toMatch(/^From the workspace\n {2}\w+ +\d+ {2}src\//mu);
    write('src/discount.ts', 'export const discount = 5;\n');
  });

  it('says which field is wrong, and what an agent without a directory lacks', async () => {
    const wrong = await daemon.request(requests, {
      body: { message: 'x', documents: [{ path: 'a', cursor: { line: -1 } }] },
    });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain('/documents/0/cursor/line');
    await daemon.request('/v1/agents/homeless', { method: 'PUT', body: { name: 'Homeless' } });
    const { body } = await daemon.request('/v1/sessions', { body: { agentId: 'homeless' } });
    const own = `/v1/sessions/${(body as { id: string }).id}/requests`;
    const receipt = (await daemon.request(own, { body: { message: 'x', documents: [cart] } })).body as RequestReceipt;
    expect(receipt.warnings).toContainEqual(
      expect.objectContaining({ code: 'no_mounted_directory', pointer: '/documents' }),
    );
    const only = (await daemon.request(own, { body: { message: 'x', include: { changes: true } } })).body;
    expect((only as RequestReceipt).warnings).toMatchObject([{ code: 'no_mounted_directory', pointer: '/include' }]);
  });
});
