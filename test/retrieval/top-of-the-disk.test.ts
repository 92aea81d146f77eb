/** A workspace that is mounted at `/`, as in some containers. */
import { expect, it } from 'vitest';
import { leftOut, open, shown } from './support/retrieving.ts';

it.each<[document: string, text: string, imported: Record<string, string>]>([
  ['/main.cpp', '#include "price.h"\n', { '/price.h': 'int price();\n' }],
  [
    '/lib/main.dart',
    "import 'package:shop/price.dart';\nint main() => price();\n",
    { '/lib/price.dart': 'int price() => 1;\n', '/pubspec.yaml': 'name: shop\n' },
  ],
  [
    '/lib/main.ex',
    'defmodule Shop do\n  alias Shop.Price\n  Price.of()\nend\n',
    {
      '/lib/shop/price.ex': 'defmodule Shop.Price do\n  def of, do: 1\nend\n',
      '/mix.exs': 'defmodule Shop.MixProject do\nend\n',
    },
  ],
  [
    '/main.go',
    'package main\nimport "a.org/shop/price"\nvar x = price.Of()\n',
    { '/price/price.go': 'package price\nfunc Of() int { return 1 }\n', '/go.mod': 'module a.org/shop\n' },
  ],
  [
    '/src/main/java/shop/Main.java',
    'package shop;\nclass Main { Price price; }\n',
    { '/src/main/java/shop/Price.java': 'package shop;\nclass Price {}\n' },
  ],
  ['/main.py', 'from shop.price import tax\n', { '/shop/price.py': 'def tax(): ...\n', '/shop/__init__.py': '' }],
  [
    '/app/models/shop.rb',
    'class Shop\n  Price.new\nend\n',
    { '/app/models/price.rb': 'class Price\nend\n', '/Gemfile': '', '/config/application.rb': '' },
  ],
  [
    '/app/models/shop/cart.rb',
    'class Shop::Cart\n  Item.new\nend\n',
    { '/app/models/shop/item.rb': 'class Shop::Item\nend\n', '/app/models/item.rb': 'class Item\nend\n' },
  ],
  [
    '/src/main.rs',
    'mod price;\nfn main() { price::of(); }\n',
    { '/src/price.rs': 'pub fn of() {}\n', '/Cargo.toml': '[package]\nname = "shop"\n' },
  ],
  [
    '/src/main.php',
    '<?php\nuse Shop\\Price;\nnew Price();\n',
    {
      '/src/Price.php': '<?php\nnamespace Shop;\nclass Price {}\n',
      '/composer.json': '{"autoload": {"psr-4": {"Shop\\\\": "src/"}}}',
    },
  ],
  [
    '/bin/main.php',
    "<?php\nrequire LIB_PATH . '/tools.php';\ntool();\n",
    { '/lib/tools.php': '<?php\nfunction tool() {}\n' },
  ],
  ['/main.ex', 'defmodule Main do\n  Price.of()\nend\n', { '/price.ex': 'defmodule Price do\n  def of, do: 1\nend\n' }],
  [
    '/Sources/Shop/Main.swift',
    'let cart = Price()\n',
    {
      '/Sources/Shop/Price.swift': 'struct Price {}\n',
      '/Package.swift': 'let package = Package(name: "Shop", targets: [.target(name: "Shop")])\n',
    },
  ],
  [
    '/Sources/Shop/Cart.swift',
    'let cart = Tax()\n',
    { '/Sources/Shop/Taxes.swift': 'struct Tax {}\n', '/Package.swift': '' },
  ],
  [
    '/Shop/Main.swift',
    'let cart = Tax()\n',
    { '/Shop/Taxes.swift': 'struct Tax {}\n', '/Shop.xcodeproj/project.pbxproj': '' },
  ],
  ['/main.lua', "local price = require('shop.price')\nprice.of()\n", { '/shop/price.lua': 'return { of = 1 }\n' }],
  [
    '/src/main/kotlin/shop/Main.kt',
    'package shop\nval price = Price()\n',
    { '/src/main/kotlin/shop/Prices.kt': 'package shop\nclass Price\n' },
  ],
  [
    '/src/main/scala/shop/Main.scala',
    'package shop\nobject Main { val price = new Price() }\n',
    { '/src/main/scala/shop/Prices.scala': 'package shop\nclass Price\n', '/build.sbt': '' },
  ],
  ['/main.sh', '. ./lib/price.sh\nprice\n', { '/lib/price.sh': 'price() { :; }\n' }],
  [
    '/build.rs',
    'mod price;\nfn main() { price::of(); }\n',
    { '/price.rs': 'pub fn of() {}\n', '/Cargo.toml': '[package]\nname = "shop"\n' },
  ],
  [
    '/cart.rs',
    'use super::*;\nfn sum() { of(); }\n',
    {
      '/price.rs': 'pub fn of() {}\n',
      '/main.rs': 'mod cart;\nmod price;\nuse price::*;\n',
      '/Cargo.toml': '[package]\nname = "shop"\n[[bin]]\nname = "shop"\npath = "main.rs"\n',
    },
  ],
  [
    '/app/pages/index.vue',
    '<template><PriceTag /></template>\n<script setup>\n</script>\n',
    { '/app/components/PriceTag.vue': '<template><p /></template>\n', '/nuxt.config.ts': '' },
  ],
  ['/main.ts', "import { price } from './price';\nprice();\n", { '/price.ts': 'export function price() {}\n' }],
])('RT-02 at the top of the disk, what %s imports is found', async (document, text, imported) => {
  const { engine } = await open({ [document]: text, ...imported }, { grantedRoots: ['/'] });
  const result = await engine.retrieve({ mountedDirectory: '/', activeDocument: { path: document } });
  const [path] = Object.keys(imported) as [string];
  expect(shown(result)).toContain(`import ${path.slice(1)}`);
  expect(result.items.map((item) => item.path)).toContain(path);
});

it('RT-02 at the top of the disk, a C# file knows its own namespace, and counts itself as no other part', async () => {
  const document = '/Models/Cart.cs';
  const parts = Array.from({ length: 8 }, (_, at) => `Models/Cart.p${at}.cs`);
  const part = 'namespace Shop.Models;\n\npartial class Cart { }\n';
  const { engine } = await open(
    {
      '/Any.csproj': '<Project Sdk="Microsoft.NET.Sdk"></Project>\n',
      '/.ai-context-policy.yaml': 'ai_context_policy: allow\nexclude: [Data/Price.cs]\n',
      [document]: 'using Shop.Data;\n\nnamespace Shop.Models;\n\npartial class Cart { Cart other; Price price; }\n',
      ...Object.fromEntries(parts.map((path) => [`/${path}`, part])),
      '/Data/Price.cs': 'namespace Shop.Data;\n\nclass Price { }\n',
    },
    { grantedRoots: ['/'] },
  );
  const result = await engine.retrieve({ mountedDirectory: '/', activeDocument: { path: document } });
  expect(shown(result)).toEqual(parts.map((path) => `import ${path}`));
  expect(leftOut(result)).toEqual(['import /Data/Price.cs blocked_by_policy']);
});

it('RT-02 at the top of the disk, a module beside others of the same beginning is missing', async () => {
  const content = "require('shop.price')\n";
  const { engine } = await open({ '/shop/main.lua': content }, { grantedRoots: ['/'] });
  const result = await engine.retrieve({ mountedDirectory: '/', activeDocument: { path: '/shop/main.lua' } });
  expect(leftOut(result)).toEqual(['import shop.price not_found']);
});
