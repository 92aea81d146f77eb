import { describe, expect, it } from 'vitest';
import { attentionTo, namesMeant, sortByAttention } from '../../src/retrieval/attention.ts';
import { expectQuick } from '../support/expect-quick.ts';
import { parse } from './imports/support/tree.ts';

const text = `import { Client } from './client.ts';
import type { Config } from './config.ts';
import {
  first as second,
  Other,
} from './other.ts';
import { log } from './log.ts';

${'\n'.repeat(20)}
const client = new Client(log);
second(client);
`;
const statementOf = (name: string, line: number) => ({
  path: `/p/${name}.ts`,
  statements: [{ specifier: `./${name}.ts`, names: [], line }],
});
const targets = [
  { ...statementOf('client', 1), names: ['Client'] },
  { ...statementOf('config', 2), names: ['Config'] },
  { ...statementOf('other', 3), names: ['first', 'Other'] },
  { ...statementOf('log', 7), names: ['log'] },
];
const attend = (focus: Parameters<typeof attentionTo>[1]) => {
  const attention = attentionTo(text, focus, targets);
  if (attention === undefined) throw new Error('nothing is attended to');
  return {
    order: sortByAttention(targets, attention).map(({ path }) => path.slice(3, -3)),
    meant: targets.flatMap((target) => [...namesMeant(target, attention)]),
  };
};
const inOrder = ['client', 'config', 'other', 'log'];
const at = (line: number, column: number) => ({ cursor: { line, column } });

describe('a cursor among the imports', () => {
  it('is near none of them, wherever it stands', () => {
    expect(attend(at(1, 2))).toEqual({ order: inOrder, meant: [] });
    expect(attend(at(2, 8))).toEqual({ order: inOrder, meant: [] });
    expect(attend(at(5, 4))).toEqual({ order: inOrder, meant: [] });
  });

  it('on a name puts its file first, and tells nothing of it whole', () => {
    expect(attend(at(1, 16))).toEqual({ order: ['config', 'client', 'other', 'log'], meant: [] });
    expect(attend(at(4, 4))).toEqual({ order: ['other', 'client', 'config', 'log'], meant: [] });
  });

  it('is what a selection of them is, too', () => {
    const selection = { start: { line: 3, column: 0 }, end: { line: 6, column: 30 } };
    expect(attend({ selection })).toEqual({ order: ['other', 'log', 'client', 'config'], meant: [] });
  });

  it('in the code means what is there, by the name that it has there', () => {
    const line = text.split('\n').indexOf('second(client);');
    expect(attend(at(line, 2))).toEqual({ order: ['other', 'client', 'log', 'config'], meant: ['first', 'Other'] });
    expect(attend(at(line - 1, 20)).meant).toEqual(['Client']);
  });
});

it('of the imports of a group of lines none is near', () => {
  const python = 'from a import (\n    One,\n    Two,\n)\nfrom b import Three\n';
  const two = [
    { path: '/p/a.py', names: ['One', 'Two'], statements: [{ specifier: 'a', names: ['One', 'Two'], line: 1 }] },
    { path: '/p/b.py', names: ['Three'], statements: [{ specifier: 'b', names: ['Three'], line: 5 }] },
  ];
  const attention = attentionTo(python, at(2, 1), two);
  expect([...(attention?.near ?? [])]).toEqual([]);
});

describe('the words of a statement', () => {
  const button = { specifier: './Button.tsx', names: ['default'], line: 1, form: 'import' };
  const orderAt = (lines: readonly string[], statements: readonly (typeof button)[], word: string) => {
    const line = lines.findLastIndex((each) => each.includes(word));
    const those = statements.map((each) => ({ path: each.specifier, names: each.names, statements: [each] }));
    const attention = attentionTo(lines.join('\n'), at(line, lines[line]?.indexOf(word) ?? 0), those);
    if (attention === undefined) throw new Error('nothing is attended to');
    const order = sortByAttention(those, attention).map(({ path }) => path);
    return { order, meant: those.filter((each) => namesMeant(each, attention).size > 0).map(({ path }) => path) };
  };

  it.each([
    ["import './Button.css';", { specifier: './Button.css', names: [], form: 'import' }],
    [
      "import type { ButtonProps } from './Button.tsx';",
      { specifier: './Button.tsx', names: ['ButtonProps'], form: 'type' },
    ],
  ])('give a default import its name, where %s names the module too', (second, statement) => {
    const lines = ["import { log } from './log.ts';", second, "import Button from './Button.tsx';", '', 'use(Button);'];
    const log = { specifier: './log.ts', names: ['log'], line: 1, form: 'import' };
    const { order, meant } = orderAt(lines, [log, { ...statement, line: 2 }, { ...button, line: 3 }], 'Button');
    expect(order[0]).toBe('./Button.tsx');
    expect(meant).toContain('./Button.tsx');
  });

  it('are those of its module that no other module has', () => {
    const lines = ['import app.store', 'import app.orders', 'import app.store', '', 'app.store.open()'];
    const store = { specifier: 'app.store', names: ['open'], line: 1, form: 'import' };
    const orders = { specifier: 'app.orders', names: ['query'], line: 2, form: 'import' };
    const again = { ...store, line: 3 };
    expect(orderAt(lines, [store, orders, again], 'store').meant).toContain('app.store');
    expect(orderAt(lines, [store, orders, again], 'app').meant).toEqual([]);
  });

  it.for<[statement: string, specifier: string, code: string, word: string]>([
    ["import type Props from './props.ts';", './props.ts', 'type Own = string;', 'type'],
    ["const props = require('./props.js');", './props.js', 'const own = 1;', 'const'],
    ['pub use self::props as other;', 'self::props', 'self.other();', 'self'],
  ])('are not the keywords of %s', ([statement, specifier, code, word]) => {
    const only = { specifier, names: ['default'], line: 1, form: 'import' };
    expect(orderAt([statement, '', code], [only], word).meant).toEqual([]);
  });
});

describe('a tag in the form of Vue', () => {
  const button = {
    path: '/p/PrettyButton.vue',
    names: ['default'],
    statements: [] as { specifier: string; names: string[]; line: number }[],
  };
  button.statements.push({ specifier: './PrettyButton.vue', names: ['default'], line: 4 });
  const lines = [
    '<template>',
    '  <a-b><pretty-button :to="pretty-link" /></a-b>',
    '</template>',
    "import PrettyButton from './PrettyButton.vue';",
  ];
  const meantAt = (column: number) => {
    const attention = attentionTo(lines.join('\n'), at(1, column), [button]);
    return attention && [...namesMeant(button, attention)];
  };

  it('RT-02 means the component of this name', () => {
    expect([8, 14, 15, 21].map(meantAt)).toEqual(Array.from({ length: 4 }, () => ['default']));
    expect([3, 4, 26, 31].map(meantAt)).toEqual(Array.from({ length: 4 }, () => []));
  });
});

describe('an import in the code', () => {
  /** What the line of the cursor means, where the second line begins another import. */
  const meantIn = (lines: readonly string[], form: string, cursorAt: number) => {
    const used = { path: '/p/used.ts', names: ['used'], statements: [{ specifier: './used.ts', names: [], line: 1 }] };
    const other = { specifier: './other.ts', names: ['Other'], line: 2, form };
    const targets = [used, { path: '/p/other.ts', names: ['Other'], statements: [other] }];
    const column = lines[cursorAt]?.indexOf('used') ?? 0;
    const attention = attentionTo(lines.join('\n'), at(cursorAt, column), targets);
    return attention && targets.flatMap((target) => [...namesMeant(target, attention)]);
  };
  const first = "import { used } from './used.ts';";

  it.each([
    ['type', "function f(x: import('./other.ts').Other) {"],
    ['require', "test('x', () => { const { Other } = require('./other.js');"],
    ['dynamic', "test('x', async () => { const { Other } = await import('./other.js');"],
  ])('(%s) hides nothing of the body that begins there: %s', (form, line) => {
    expect(meantIn([first, line, '  used();', '};'], form, 2)).toEqual(['used']);
  });

  it('of a type only is code itself', () => {
    const lines = [first, "const f = (x: import('./other.ts').Other) => used(x);"];
    expect(meantIn(lines, 'type', 1)).toEqual(['used']);
  });

  it('that is a statement of types takes all of its lines', () => {
    const lines = [first, 'import type {', '  used as Other,', "} from './other.ts';"];
    expect(meantIn(lines, 'type', 2)).toEqual([]);
  });

  it('that requires takes its own line', () => {
    const lines = [first, "const { used, Other } = require('./other.js');", ''];
    expect(meantIn(lines, 'require', 1)).toEqual([]);
  });
});

describe('C#, where types are used without an import', () => {
  const lines = [
    'using Shop.Prices;',
    'namespace Shop {',
    '  class Cart {',
    '    Models.Order order; Price price; void Add() { order.ToPrice(); }',
    '  }',
    '}',
  ];
  const target = (name: string, statement: { form?: string; line: number }) => ({
    path: `/p/${name.split('.', 1)[0]}.cs`,
    names: [name],
    statements: [{ specifier: 'Shop', names: [name], ...statement }],
  });
  const used = [
    target('All', { form: 'file', line: 1 }),
    target('Base', { form: 'namespace', line: 2 }),
    target('Order', { form: 'qualified', line: 4 }),
    target('Price', { line: 1 }),
    target('Extensions.ToPrice', { form: 'extension', line: 1 }),
  ];
  const attendTo = (word: string) => {
    const line = lines.findIndex((each) => each.includes(word));
    const attention = attentionTo(lines.join('\n'), at(line, (lines[line] ?? '').indexOf(word)), used);
    if (attention === undefined) throw new Error('nothing is attended to');
    return {
      first: sortByAttention(used, attention)[0]?.path,
      meant: used.flatMap((each) => [...namesMeant(each, attention)]),
    };
  };

  it.each([
    ['Order', '/p/Order.cs', 'Order'],
    ['Price price', '/p/Price.cs', 'Price'],
    ['ToPrice', '/p/Extensions.cs', 'Extensions.ToPrice'],
  ])('RT-02 the code of a namespace means its types and methods: %s', (word, path, name) => {
    expect(attendTo(word)).toEqual({ first: path, meant: [name] });
  });
});

it('RT-02 the first line of a file of Ruby is code, and means the constants in it', () => {
  const used = ['Other', 'Cart'].map((name) => ({
    path: `/p/${name}.rb`,
    names: [name],
    statements: [{ specifier: '', names: ['Other', 'Cart'], line: 1, form: 'constants' }],
  }));
  const attention = attentionTo('Cart.new(Other)\n', at(0, 1), used);
  expect(attention && [...namesMeant(used[1] as (typeof used)[0], attention)]).toEqual(['Cart']);
});

describe('PHP, where code names classes in full', () => {
  const lines = [
    '<?php',
    'namespace Shop {',
    'class Cart {',
    '  function add(\\Shop\\Models\\Order $order): void {',
    "    if (true) { require LIB . 'price.php';",
    '    $price = new Price; \\Shop\\to_text(1); round_up(2);',
    '  }}',
    '}}',
  ];
  it.each([
    ['Order', 'Order'],
    ['Price', 'Price'],
    ['to_text', 'to_text'],
    ['round_up', 'round_up'],
  ])('RT-02 the code around such a name is no import statement: %s', async (word, name) => {
    const { imports } = await parse('php', lines.join('\n'));
    const targets = ['Order', 'Price', 'to_text', 'round_up'].map((each) => ({
      path: `/p/${each}.php`,
      names: [each],
      statements: imports.filter(({ names }) => names.includes(each)),
    }));
    const line = lines.findIndex((each) => each.includes(word));
    const attention = attentionTo(lines.join('\n'), at(line, (lines[line] ?? '').indexOf(word)), targets);
    expect(targets.flatMap((each) => [...namesMeant(each, attention as NonNullable<typeof attention>)])).toEqual([
      name,
    ]);
  });
});

describe('statements that are made to be long', () => {
  it('S-45 count by their beginnings, so that they take little time', () => {
    const many = Array.from({ length: 500 }, (_, index) => index);
    const lines = many.map((index) => `import './\\x71${index}'; /* ./q${index - 39}.ts ${'a '.repeat(960)}*/`);
    const statements = many.map((index) => statementOf(`q${index}`, index + 1));
    const found = expectQuick(() =>
      attentionTo(
        lines.join('\n'),
        { cursor: { line: 0, column: 1 } },
        statements.map((each) => ({ ...each, names: [] })),
      ),
    );
    expect(found?.under).toEqual(new Set(['import']));
  });
});
