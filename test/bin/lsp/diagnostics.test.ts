import { expect, it } from 'vitest';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { diagnosticsOf } from '../../../src/bin/lsp/diagnostics.ts';

it('a finding is where an editor shows it, whatever ends the lines', () => {
  for (const end of ['\n', '\r\n', '\r']) {
    // The comment is a line of its own only to an editor.
    const text = `# a${end}# b\nai_context_policy: never\r\n`;
    const document = TextDocument.create('file:///p/.ai-context-policy.yaml', 'yaml', 1, text);
    const file = { kind: 'ai-context-policy', path: '/p/.ai-context-policy.yaml', owner: '/p' } as const;
    const [found] = diagnosticsOf(document, file);
    expect(document.getText(found?.range)).toBe('never');
    expect(found?.range.start.line).toBe(2);
  }
});
