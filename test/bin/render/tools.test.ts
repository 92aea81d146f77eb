import { expect, it } from 'vitest';
import { createSheet } from '../../../src/bin/render/page.ts';
import { renderCallResult, renderTools } from '../../../src/bin/render/tools.ts';

const sheet = createSheet({ columns: 72, colors: false, home: '/home/ada' });
const hostile = '\u001b[31mred\u202e\u{e0041}';
const inputSchema = { type: 'object', title: hostile };
const reason = { code: 'tools_changed' as const, detail: hostile };

it('S-31 S-84 shows each part of a withheld tool that is another now, whole, and nothing that steers a terminal', () => {
  const name = 'say';
  const page = renderTools(
    {
      serverId: '',
      serverName: '',
      tools: [{ name: hostile, description: `${hostile}\nmore`, inputSchema, sha256: '' }],
      withheld: [
        {
          name,
          reason,
          approved: { name, description: 'One.\nTwo.', inputSchema },
          tool: { name, description: `One.\nThree. ${hostile}`, inputSchema, annotations: { readOnlyHint: true } },
        },
        { name: hostile, reason, tool: { name, description: '', inputSchema } },
        {
          name: 'same',
          reason,
          approved: { name, description: 'a', inputSchema },
          tool: { name, description: 'a', inputSchema },
        },
        { name: 'none', reason },
      ],
    },
    sheet,
  ).join('\n');
  expect(page).toMatch(/^(?:[^\p{C}]|\n)*$/u);
  expect(page).toMatch(
    /! changed {2}say\n.*\n {4}description\n {4}- One\.\n {4}- Two\.\n {4}\+ One\.\n {4}\+ Three\. .*\n {4}hints/u,
  );
  expect(page).toMatch(/! new .*\n.*\n {4}description\n {4}\+ ?\n {4}arguments\n {4}\+ \{\n/u);
  expect(page).toMatch(/! changed {2}same\n.*\n {4}The difference is not visible here/u);
  expect(page).toMatch(/! cannot be used {2}none\n.*$/u);
});

it('S-31 asks for an approval only of tools that it makes usable', () => {
  const none = { name: 'none', reason: { code: 'unsupported' as const, detail: 'It runs only as a task.' } };
  const changed = { name: 'say', reason, tool: { name: 'say', description: '', inputSchema } };
  const list = { serverId: '', serverName: '', tools: [] };
  const unusable = ['Nobody can use these tools', '', '! cannot be used  none', '    It runs only as a task.'];
  expect(renderTools({ ...list, withheld: [none] }, sheet)).toEqual(unusable);
  const lines = renderTools({ ...list, withheld: [none, changed] }, sheet);
  expect(lines.slice(0, 3)).toEqual([
    'Withheld: nobody can use them until you approve the server with --tools',
    '',
    '! new  say',
  ]);
  expect(lines.slice(-5)).toEqual(['', ...unusable]);
});

it('SY-04 S-84 prints the text that a tool answers, and names what is no text', () => {
  const lines = renderCallResult({
    content: [
      { type: 'text', text: `one\r\n\ttwo ${hostile}\n` },
      { type: 'image', data: 'AAAAAAAA', mimeType: hostile },
      { type: 'resource', resource: { uri: hostile } },
      null,
      { type: 'text' },
    ],
    structuredContent: { said: 'already' },
  });
  expect(lines.slice(0, 2)).toEqual(['one', String.raw`    two \u{1b}[31mred\u{202e}\u{e0041}`]);
  expect(lines[2]).toMatch(/^\(image, .*, 6 bytes\)$/u);
  expect(lines.join('\n')).toMatch(/^(?:[^\p{C}]|\n)*$/u);
  expect(lines.join('\n')).not.toContain('already');
  expect(renderCallResult({ content: [], structuredContent: { sum: 3 } })).toEqual(['{', '  "sum": 3', '}']);
  expect(renderCallResult({ content: [] })).toEqual(['(The answer is empty.)']);
});
