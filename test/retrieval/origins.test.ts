import { describe, expect, it } from 'vitest';
import { active, open } from './support/retrieving.ts';

const contents = async (tree: Record<string, string>, code: string, path?: string): Promise<unknown[]> => {
  const { retrieve } = await open(tree);
  const { items } = await retrieve(active(code, path));
  return items.map(({ relativePath, content }) => [relativePath, content?.split('\n').filter((line) => line !== '')]);
};
const python = {
  'shop/__init__.py': '',
  'shop/cart.py':
    'class Cart:\n    limit: int = 3\n\n    def add(self, item: str) -> None: ...\n\n    def clear(self) -> None: ...\n\n\ncart = Cart()\n',
};
const cart = 'export class Cart {\n  add(item: string): void {}\n}\n';

describe('values that a class makes', () => {
  it('RT-02 Python: the members of the class that the document uses', async () => {
    expect(await contents(python, 'from shop.cart import cart as c\n\nc.add(c.limit)\n', 'main.py')).toEqual([
      [
        'shop/cart.py',
        ['class Cart:', '    limit: int = 3', '    def add(self, item: str) -> None: ...', '…', 'cart = Cart()'],
      ],
    ]);
  });

  it('RT-02 Python: also if the class is imported there, and the value behind a package', async () => {
    const tree = {
      ...python,
      'shop/__init__.py': 'from .state import basket\n',
      'shop/state.py': 'from .cart import Cart as Basket\n\nbasket: Basket = Basket()\n',
    };
    expect(await contents(tree, 'from shop import basket\n\nbasket.clear()\n', 'main.py')).toEqual([
      ['shop/state.py', ['basket: Basket = Basket()']],
      ['shop/cart.py', ['class Cart:', '…', '    def clear(self) -> None: ...']],
    ]);
  });

  it('RT-02 Python: the class as a whole if it has none of the members itself', async () => {
    const tree = { 'shop.py': 'class Cart(Base):\n    def add(self): ...\n\n\ncart = Cart.open()\n' };
    expect(await contents(tree, 'from shop import cart\n\ncart.get()\n', 'main.py')).toEqual([
      ['shop.py', ['class Cart(Base):', '    def add(self): ...', 'cart = Cart.open()']],
    ]);
  });

  it('RT-02 Python: members of a module that a package calls otherwise', async () => {
    const tree = {
      'shop/__init__.py': 'from . import _cart as basket\n',
      'shop/_cart.py': 'def add(): ...\n\n\ndef clear(): ...\n',
    };
    expect(await contents(tree, 'from shop import basket\n\nbasket.clear()\n', 'main.py')).toEqual([
      ['shop/_cart.py', ['def clear(): ...']],
    ]);
  });

  it('RT-02 nothing of the class if nothing is used of the value', async () => {
    expect(await contents(python, 'from shop.cart import cart\n\nshow(cart)\n', 'main.py')).toEqual([
      ['shop/cart.py', ['cart = Cart()']],
    ]);
    const tree = { 'src/cart.ts': `${cart}export const all = new Cart();\n` };
    expect(await contents(tree, "import { all } from './cart.ts';\nshow(all);\n")).toEqual([
      ['src/cart.ts', ['export const all = new Cart();']],
    ]);
  });

  it.each([
    ['a constant', 'export const all = new Cart();', "import { all } from './state.ts';"],
    ['a default export', 'export default new Cart();', "import all from './state.ts';"],
    ['a constant by default', 'const all = new Cart();\nexport default all;', "import all from './state.ts';"],
    [
      'a constant under another name',
      'const a = new Cart();\nexport { a as all };',
      "import { all } from './state.ts';",
    ],
    ['a value that may exist', 'export const all = globalThis.all ?? new Cart();', "import { all } from './state.ts';"],
    ['another name of a constant', 'const a = new Cart();\nexport const all = a;', "import { all } from './state.ts';"],
    ['a static function', 'export const all = Cart.open();', "import { all } from './state.ts';"],
  ])('RT-02 TypeScript: the class behind %s', async (_, code, statement) => {
    const tree = { 'src/cart.ts': cart, 'src/state.ts': `import { Cart } from './cart.ts';\n${code}\n` };
    const found = await contents(tree, `${statement}\nall.add('a');\n`);
    expect(found).toContainEqual(['src/cart.ts', cart.split('\n').filter((line) => line !== '')]);
    const own = { 'src/state.ts': `${cart.replace('export ', '')}${code}\n` };
    expect(JSON.stringify(await contents(own, `${statement}\nall.add('a');\n`))).toContain('class Cart');
  });

  it('RT-02 JavaScript: the class behind what a CommonJS module is', async () => {
    const tree = { 'src/cart.js': 'class Cart {\n  add() {}\n}\nmodule.exports = new Cart();\n' };
    const code = "const cart = require('./cart');\ncart.add();\n";
    expect(await contents(tree, code, 'src/main.js')).toEqual([
      ['src/cart.js', ['class Cart {', '  add() {}', '}', 'module.exports = new Cart();']],
    ]);
  });

  it('RT-02 Python: if the module of the value is imported', async () => {
    const tree = { 'shop/__init__.py': '', 'shop/state.py': python['shop/cart.py'] };
    expect(await contents(tree, 'from shop import state as s\n\ns.cart.clear()\n', 'main.py')).toEqual([
      ['shop/state.py', ['class Cart:', '…', '    def clear(self) -> None: ...', 'cart = Cart()']],
    ]);
  });

  it('RT-02 no whole file that the class may come from', async () => {
    const tree = {
      'src/app.ts': "import Vue from './vendor.js';\nexport const app = new Vue();\n",
      'src/vendor.js': 'self.x = 1;\n',
    };
    expect(await contents(tree, "import { app } from './app.ts';\napp.use(1);\n")).toEqual([
      ['src/app.ts', ['export const app = new Vue();']],
    ]);
  });

  it('RT-02 S-45 in few of many modules that may have the class', async () => {
    const numbers = Array.from({ length: 40 }, (_, index) => index);
    const tree = {
      'main.py': '',
      'state.py': `${numbers.map((n) => `from c${n} import Cart`).join('\n')}\n${'cart = Cart()\n'.repeat(9)}`,
      ...Object.fromEntries(numbers.map((n) => [`c${n}.py`, `# ${n}\n`])),
    };
    const parsed: string[] = [];
    const { retrieve } = await open(tree, { before: (text) => void parsed.push(text) });
    await retrieve(active('from state import cart\ncart.a()\ncart.b()\n', 'main.py'));
    expect(parsed.filter((text) => text.startsWith('# '))).toHaveLength(4);
  });
});

describe('types that are made from values', () => {
  it.each([
    ['z.infer<typeof cart>', 'const cart = z.object({ size: z.number() });'],
    ['(typeof cart)[number]', "const cart = ['a', 'b'] as const;"],
    ['keyof typeof cart', 'export const cart = { a: 1 };'],
    ['z.infer<typeof cart> & { id: string }', 'const cart = z.object({});'],
    ['Readonly<z.infer<typeof cart>>[]', 'const cart = z.string();'],
  ])('RT-02 the value behind %s', async (type, value) => {
    const statement = "import type { Cart } from './cart.ts';\n";
    const tree = { 'src/cart.ts': `const other = 1;\n\n${value}\n\nexport type Cart = ${type};\n` };
    expect(await contents(tree, statement)).toEqual([['src/cart.ts', [value, `export type Cart = ${type};`]]]);
    const far = {
      'src/cart.ts': `import { cart } from './value.ts';\nexport type Cart = ${type};\n`,
      'src/value.ts': `export ${value.replace('export ', '')}\n`,
    };
    expect(await contents(far, statement)).toContainEqual(['src/value.ts', [`export ${value.replace('export ', '')}`]]);
  });

  it('RT-02 no values that a longer type mentions', async () => {
    const tree = { 'src/cart.ts': 'const cart = 1;\n\nexport type Cart = { cart: typeof cart };\n' };
    expect(await contents(tree, "import { Cart } from './cart.ts';\n")).toEqual([
      ['src/cart.ts', ['export type Cart = { cart: typeof cart };']],
    ]);
  });
});
