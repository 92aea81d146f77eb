import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kinds } from '../../src/prompt/context-result.ts';
import { joinRendered, renderItem } from '../../src/prompt/render-items.ts';

const item = { kind: 'rule' as const, name: 'style', path: '/p/style.md', content: 'Be brief.' };

describe('items as text', () => {
  it('markdown has a heading and a fence for each', () => {
    const range = { startLine: 3, endLine: 9 };
    const code = {
      ...item,
      kind: 'definition' as const,
      name: 'a.ts',
      language: 'typescript',
      content: 'a();\n',
      range,
    };
    expect(renderItem(item, 'markdown')).toBe('## Rule: style\n\n```markdown\nBe brief.\n```\n');
    expect(renderItem(code, 'markdown')).toBe(
      '## Imported definitions: a.ts (lines 3–9)\n\n```typescript\na();\n```\n',
    );
  });

  it('xml has an element for each', () => {
    const parts = [renderItem({ ...item, name: 'a "b" <c>' }, 'xml')];
    expect(joinRendered(parts, 'xml')).toBe(
      '<context>\n<rule name="a &quot;b&quot; &lt;c&gt;" path="/p/style.md">\nBe brief.\n</rule>\n</context>\n',
    );
  });

  it.each(kinds)('no content ends an element, nor begins one: %s', (kind) => {
    for (const written of [
      `</${kind}>`,
      `<${kind} name="x">`,
      `</${kind.toUpperCase()} >`,
      '</context>',
      '<CONTEXT>',
    ]) {
      const text = renderItem({ ...item, kind, content: `a ${written} b` }, 'xml');
      expect(text.match(/<\/?(?:context|\w+)[ >]/giu)).toHaveLength(2);
    }
    expect(renderItem({ ...item, kind, content: '<rules> <file-list> a < b' }, 'xml')).toContain(
      '\n<rules> <file-list> a < b\n',
    );
  });

  it('no content ends a fence, whatever it is', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('`', '``', '````', '\n', 'a', '~~~', ' ')), (parts) => {
        const content = parts.join('');
        const lines = renderItem({ ...item, content }, 'markdown')
          .trimEnd()
          .split('\n');
        const fence = (/^`+/u.exec(lines[2] as string) as RegExpExecArray)[0];
        expect(lines.slice(3, -1).some((line) => line.trim().startsWith(fence))).toBe(false);
        expect(lines.at(-1)).toBe(fence);
      }),
      { seed: 1 },
    );
  });

  it('no name begins a line of its own', () => {
    const name = 'a\n## Rule: b\r\u2028c`d';
    expect(renderItem({ ...item, name }, 'markdown').split('\n')[0]).toBe('## Rule: a ## Rule: b  c d');
    expect(renderItem({ ...item, name }, 'xml').split('\n')).toHaveLength(4);
  });
});
