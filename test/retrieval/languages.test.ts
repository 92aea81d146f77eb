import { describe, expect, it } from 'vitest';
import { project } from '../support/workspace.ts';
import { active, leftOut, open } from './support/retrieving.ts';

type Case = { path: string; text: string; tree: Record<string, string>; expected: Record<string, string> };

/** What goes with the prompt when only the definitions that are imported are taken, by relative path. */
const cases: Record<string, Case> = {
  vue: {
    path: 'src/views/Shop.vue',
    text: `<script lang="ts">
export default { name: 'Shop' };
</script>

<template>
  <Cart v-if="1 < 2" />
</template>

<script setup lang="ts" generic="T extends Map<string, Price>">
import Cart from '../parts/Cart.vue';
import { euro } from '../money';
</script>
`,
    tree: {
      'src/parts/Cart.vue': '<script setup>\nconst a = 1;\n</script>\n<template><p>{{ a }}</p></template>\n',
      'src/money.ts': 'export const yen = 1;\n\nexport const euro = 2;\n',
    },
    expected: {
      'src/parts/Cart.vue': '<script setup>\nconst a = 1;\n</script>\n<template><p>{{ a }}</p></template>\n',
      'src/money.ts': 'export const euro = 2;',
    },
  },
  svelte: {
    path: 'src/routes/+page.svelte',
    text: "<h1>It's {euro(1)}</h1>\n<SCRIPT>\n  import { euro } from '../money.js';\n  import '../parts/Cart.svelte';\n",
    tree: {
      'src/money.ts': 'export const yen = 1;\n\nexport const euro = 2;\n',
      'src/parts/Cart.svelte': '<p>Cart</p>\n',
    },
    expected: { 'src/money.ts': 'export const euro = 2;', 'src/parts/Cart.svelte': '<p>Cart</p>\n' },
  },
  astro: {
    path: 'src/pages/index.astro',
    text: "\n---\nimport Cart from '../parts/Cart.astro';\nif (!Astro.props.id) return Astro.redirect('/');\n---\n<Cart />\n<script>\n  import { euro } from '../money';\n</script>\n",
    tree: {
      'src/money.ts': 'export const yen = 1;\n\nexport const euro = 2;\n',
      'src/parts/Cart.astro': '<p>Cart</p>\n',
    },
    expected: { 'src/parts/Cart.astro': '<p>Cart</p>\n', 'src/money.ts': 'export const euro = 2;' },
  },
  python: {
    path: 'src/shop/cart.py',
    text: 'from shop import Price, tax\nfrom . import text\nimport shop.money as m\nm.euro(tax.of(tax.made))\n',
    tree: {
      'src/shop/__init__.py': 'from .price import Price as Price\n',
      'src/shop/price.py': 'class Other: ...\n\n# A price.\nclass Price:\n    amount = 0\n',
      'src/shop/text.py': 'def trim(): ...\n',
      'src/shop/tax.py': 'RATE = 1\n\n\ndef of(n): ...\n',
      'src/shop/money.py': 'def euro(n): ...\n\n\ndef yen(n): ...\n',
    },
    expected: {
      'src/shop/price.py': '# A price.\nclass Price:\n    amount = 0',
      'src/shop/tax.py': 'def of(n): ...',
      'src/shop/text.py': 'def trim(): ...\n',
      'src/shop/money.py': 'def euro(n): ...',
    },
  },
  go: {
    path: 'main.go',
    text: 'package main\n\nimport "example.com/shop/price"\n\nfunc main() { price.Of(1) }\n',
    tree: {
      'go.mod': 'module example.com/shop\n',
      'price/price.go':
        'package price\n\n// Of makes one.\nfunc Of(n int) Price { return Price{} }\n\ntype Price struct{}\n',
      'price/tax.go': 'package price\n\nfunc Tax() {}\n',
    },
    expected: { 'price/price.go': '// Of makes one.\nfunc Of(n int) Price { return Price{} }' },
  },
  rust: {
    path: 'src/main.rs',
    text: 'mod price;\nmod text;\nuse price::Price;\nuse crate::price::inner::Tax;\nfn f() { text::trim(text::made!()) }\n',
    tree: {
      'Cargo.toml': '[package]\nname = "shop"\n',
      'src/text.rs': 'pub fn trim() {}\n\npub fn other() {}\n',
      'src/price.rs': 'mod real;\npub use real::Price;\npub mod inner {\n    pub struct Tax;\n}\npub fn other() {}\n',
      'src/price/real.rs': '/// A price.\n#[derive(Debug)]\npub struct Price(u8);\n\npub struct Hidden;\n',
    },
    expected: {
      'src/text.rs': 'pub fn trim() {}',
      'src/price.rs': '    pub struct Tax;',
      'src/price/real.rs': '/// A price.\n#[derive(Debug)]\npub struct Price(u8);',
    },
  },
  java: {
    path: 'src/main/java/shop/Cart.java',
    text: 'package shop;\n\nimport static shop.money.Euro.of;\n\nclass Cart { Price p = of(1); }\n',
    tree: {
      'src/main/java/shop/Price.java': 'package shop;\n\n/** A price. */\nclass Price {}\n',
      'src/main/java/shop/money/Euro.java':
        'package shop.money;\n\npublic class Euro {\n  static int of(int n) { return n; }\n  static int to(int n) { return n; }\n}\n',
    },
    expected: {
      'src/main/java/shop/Price.java': '/** A price. */\nclass Price {}',
      'src/main/java/shop/money/Euro.java': '  static int of(int n) { return n; }',
    },
  },
  csharp: {
    path: 'src/Web/Controllers/CartController.cs',
    text: 'using Shop.Prices;\nusing MediatR;\n\nnamespace Shop.Web.Controllers;\n\npublic class CartController : Base<Cart>\n{\n    public Price Get(string text) => text.ToPrice();\n}\n',
    tree: {
      'src/Web/Shop.Web.csproj':
        '<Project Sdk="Microsoft.NET.Sdk.Web"><ItemGroup><ProjectReference Include="..\\Core\\Core.csproj" /></ItemGroup></Project>\n',
      'src/Web/Base.cs':
        'namespace Shop.Web;\n\n/// <summary>Of all.</summary>\n[ApiController]\npublic abstract class Base<T>\n{\n}\n\npublic class Other { }\n',
      'src/Web/Models.cs':
        'namespace Shop.Web\n{\n    public record Cart(int Id);\n\n    public record Line(int Id);\n}\n',
      'src/Core/Core.csproj': '<Project><PropertyGroup><RootNamespace>Shop</RootNamespace></PropertyGroup></Project>\n',
      'src/Core/Prices/Price.cs': 'namespace Shop.Prices;\n\npublic enum Price\n{\n    Low,\n}\n',
      'src/Core/Prices/TextExtensions.cs':
        'namespace Shop.Prices;\n\npublic static class TextExtensions\n{\n    public static Price ToPrice(this string text) => Price.Low;\n\n    public static int ToTax(this string text) => 1;\n}\n',
    },
    expected: {
      'src/Web/Base.cs': '/// <summary>Of all.</summary>\n[ApiController]\npublic abstract class Base<T>\n{\n}',
      'src/Web/Models.cs': '    public record Cart(int Id);',
      'src/Core/Prices/Price.cs': 'public enum Price\n{\n    Low,\n}',
      'src/Core/Prices/TextExtensions.cs': '    public static Price ToPrice(this string text) => Price.Low;',
    },
  },
  scala: {
    path: 'app/src/main/scala/shop/Cart.scala',
    text: 'package shop\n\nimport money.syntax._\nimport old.Legacy\n\nclass Cart(legacy: Legacy) { val price: Price = 1.euros }\n',
    tree: {
      'build.sbt': 'lazy val app = project\n',
      'app/src/main/scala/shop/Models.scala':
        'package shop\n\n/** A price. */\ncase class Price(cents: Int)\n\nclass Other\n',
      'core/shared/src/main/scala/money/syntax.scala':
        'package money\n\nobject syntax extends Syntax\n\ntrait Syntax {\n  implicit class IntOps(private val n: Int) {\n    def euros = Price(n)\n\n    def yen = n\n  }\n}\n',
      'app/src/main/java/old/Legacy.java': 'package old;\n\npublic class Legacy {}\n',
    },
    expected: {
      'app/src/main/scala/shop/Models.scala': '/** A price. */\ncase class Price(cents: Int)',
      'core/shared/src/main/scala/money/syntax.scala': '    def euros = Price(n)',
      'app/src/main/java/old/Legacy.java': 'public class Legacy {}',
    },
  },
  shell: {
    path: 'bin/deploy',
    text: '#!/usr/bin/env bash\n. "$(dirname "$0")/../lib/all.sh"\nlog::info "$REGION"\n',
    tree: {
      'lib/all.sh': './lib/run.sh\nfor each in log region; do source "$(dirname "$BASH_SOURCE")/$each.sh"; done\n',
      'lib/log.sh': '# Says it.\nlog::info() {\n  echo "$@"\n}\n\nlog::error() { exit 1; }\n',
      'lib/run.sh': 'export REGION=b\n',
      'lib/region.sh': '. ./lib/defaults\n',
      'lib/defaults': '#!/bin/sh -e\nexport ZONE=b\nexport REGION=a\n',
    },
    expected: {
      'lib/log.sh': '# Says it.\nlog::info() {\n  echo "$@"\n}',
      'lib/defaults': 'export REGION=a',
    },
  },
  lua: {
    path: 'main.lua',
    text: 'local shop = require("shop")\nshop.cart(shop.tax)\n',
    tree: {
      'shop.lua': 'local M = { cart = require("cart") }\nreturn setmetatable(M, { __index = require("base") })\n',
      'base.lua': 'local M = {}\nM.rate = 1\nM.tax = 2\nreturn M\n',
      'cart.lua': 'local M = {}\nfunction M:__call(tax) end\nfunction M.other() end\nreturn setmetatable(M, M)\n',
    },
    expected: { 'cart.lua': 'function M:__call(tax) end', 'base.lua': 'M.tax = 2' },
  },
  kotlin: {
    path: 'app/src/main/java/shop/Cart.kt',
    text: 'package shop\n\nimport shop.money.euros\nimport shop.old.Legacy\n\nclass Cart(val legacy: Legacy) { val price: Price = 1.euros() }\n',
    tree: {
      'settings.gradle.kts': 'include(":app", ":core:money")\n',
      'app/src/main/java/shop/Models.kt':
        'package shop\n\n/** A price. */\n@Serializable\ndata class Price(val cents: Int)\n\nclass Other\n',
      'app/src/main/java/shop/old/Legacy.java': 'package shop.old;\n\npublic class Legacy {}\n',
      'core/money/src/commonMain/kotlin/shop/money/Extensions.kt':
        'package shop.money\n\n// Of cents.\nfun Int.euros() = Price(this)\n\nfun Int.yen() = 1\n',
    },
    expected: {
      'app/src/main/java/shop/Models.kt': '/** A price. */\n@Serializable\ndata class Price(val cents: Int)',
      'app/src/main/java/shop/old/Legacy.java': 'public class Legacy {}',
      'core/money/src/commonMain/kotlin/shop/money/Extensions.kt': '// Of cents.\nfun Int.euros() = Price(this)',
    },
  },
  cpp: {
    path: 'src/main.cc',
    text: '#include "price.h"\n#include <vector>\n\nint main() { std::string s; return price_of(MAX_PRICE); }\n',
    tree: {
      'include/price.h':
        '#include "limits.h"\n#define string no\n// Of one.\nint price_of(int n);\nint other(int n = MAX_PRICE);\n',
      'include/limits.h': '#define MAX_PRICE 3\n#define MIN_PRICE 1\n',
    },
    expected: {
      'include/price.h': '// Of one.\nint price_of(int n);',
      'include/limits.h': '#define MAX_PRICE 3',
    },
  },
  php: {
    path: 'app/Http/Cart.php',
    text: '<?php\n\nnamespace App\\Http;\n\nuse App\\Price;\n\nclass Cart extends Base { function f(Price $p) { euro(1); } }\n',
    tree: {
      'composer.json': '{ "autoload": { "psr-4": { "App\\\\": "app/" }, "files": ["app/helpers.php"] } }',
      'app/Price.php':
        '<?php\n\nnamespace App;\n\nenum Other {}\n\n/** A price. */\n#[Entity]\nfinal class Price\n{\n}\n',
      'app/Http/Base.php': '<html><?php\nnamespace App\\Http;\n\nabstract class Base {}\n?></html>\n',
      'app/helpers.php':
        "<?php\n\nif (!function_exists('euro')) {\n    // Of cents.\n    function euro(int $n) {}\n}\n\nfunction yen() {}\n",
    },
    expected: {
      'app/Price.php': '/** A price. */\n#[Entity]\nfinal class Price\n{\n}',
      'app/Http/Base.php': 'abstract class Base {}',
      'app/helpers.php': '    // Of cents.\n    function euro(int $n) {}',
    },
  },
  rails: {
    path: 'app/controllers/carts_controller.rb',
    text: 'class CartsController < ApplicationController\n  def index = @carts = Cart::OPEN + User.all\nend\n',
    tree: {
      'app/controllers/application_controller.rb': 'class ApplicationController\n  def current = 1\nend\n',
      'app/models/cart.rb': 'class Cart < ApplicationRecord\n  OPEN = 1\n\n  def total = 2\nend\n',
      'app/models/order.rb': 'class Order\nend\n',
    },
    expected: {
      'app/controllers/application_controller.rb': 'class ApplicationController\n  def current = 1\nend',
      'app/models/cart.rb': 'class Cart < ApplicationRecord\n  OPEN = 1\n\n  def total = 2\nend',
    },
  },
  ruby: {
    path: 'lib/shop.rb',
    text: "require 'shop/price'\n\nShop::Price.new\n",
    tree: {
      'lib/shop/price.rb':
        '# Nothing of Kernel.\nmodule Shop\n  # A price.\n  class Price\n    def to_s = Kernel.to_s\n  end\n\n  class Other\n  end\nend\n',
    },
    expected: {},
  },
};

describe('retrieve in other languages', () => {
  it.each(Object.entries(cases).filter(([, { expected }]) => Object.keys(expected).length > 0))(
    'RT-02 the imported definitions: %s',
    async (_, { path, text, tree, expected }) => {
      const workspace = await open(tree);
      const result = await workspace.retrieve({ ...active(text, path), automatic: { search: false } });
      const contents = result.items.map(({ relativePath, content }) => [relativePath, content]);
      expect(Object.fromEntries(contents)).toEqual(expected);
      expect(leftOut(result)).toEqual([]);
    },
  );

  it.each(Object.entries(cases))('RT-02 the imported files: %s', async (_, { path, text, tree, expected }) => {
    const workspace = await open(tree);
    const result = await workspace.retrieve({
      ...active(text, path),
      automatic: { imports: 'files', search: false },
    });
    const paths = result.items.map(({ relativePath }) => relativePath);
    expect(paths).toEqual(expect.arrayContaining(Object.keys(expected)));
    expect(paths.length).toBeGreaterThan(0);
    for (const { relativePath, content } of result.items) expect(content).toBe(tree[relativePath]);
  });

  it('RT-02 names that a language leaves to be guessed: what is not found costs nothing, what is found is taken', async () => {
    const { path, text, tree } = cases.ruby as Case;
    const workspace = await open(tree);
    const { items } = await workspace.retrieve({
      ...active(`${text}Kernel.exit\n`, path),
      automatic: { search: false },
    });
    expect(items.map(({ relativePath, range }) => [relativePath, range])).toEqual([
      ['lib/shop/price.rb', { startLine: 1, endLine: 10 }],
    ]);
  });

  it('RT-02 a guess stays a guess when another import of the same file is none', async () => {
    const { retrieve } = await open({ 'shop.py': 'class Cart:\n    pass\n\n\ndef other():\n    pass\n' });
    const text = 'import shop\nfrom shop import Cart\n\nshop.made_later(Cart())\n';
    const { items } = await retrieve(active(text, 'app.py'));
    expect(items.map(({ relativePath, range }) => [relativePath, range])).toEqual([
      ['shop.py', { startLine: 1, endLine: 2 }],
    ]);
    const named = await retrieve(active(text.replace('Cart\n', 'Cart, made_later\n'), 'app.py'));
    expect(named.items).toMatchObject([{ relativePath: 'shop.py', content: expect.stringContaining('other') }]);
  });

  it.each([
    ['src/cart.pl', undefined, 'Perl'],
    ['src/Cart.fs', undefined, 'F#'],
    ['Pages/Cart.cshtml', undefined, 'Razor'],
    ['build.gradle.KTS', undefined, 'Kotlin scripts'],
    ['src/cart.jl', undefined, 'Julia'],
    ['lib/cart.clj', undefined, 'Clojure'],
    ['main.tf', undefined, 'Terraform'],
    ['bin/build.zsh', undefined, 'Zsh'],
    ['lib/shop_web/cart.html.heex', undefined, 'HEEx'],
    ['app/views/cart.html.erb', undefined, 'ERB'],
    ['docs/cart.mdx', undefined, 'MDX'],
    ['api/cart.proto', undefined, 'Protocol Buffers'],
    ['bin/build', 'perl', 'Perl'],
  ])('RT-04 of a language without a parser the answer says so, once: %s', async (path, language, name) => {
    const { retrieve } = await open({ 'notes.md': 'x' });
    const activeDocument = { path, content: 'use App;', ...(language && { language }) };
    const { warnings } = await retrieve({ activeDocument, openTabs: ['notes.md'], query: 'cart' });
    const message = `There is no parser for ${name}: imports of the active document are not followed.`;
    expect(warnings).toEqual([{ code: 'unsupported_language', message, path: `${project}/${path}` }]);
  });

  it('RT-04 of text, of a language with a parser, and where no imports are asked for it says nothing', async () => {
    const { retrieve } = await open({});
    for (const path of ['README.md', 'data.json', 'a.txt', 'LICENSE', 'a.rs', 'style.css'])
      expect((await retrieve(active('', path))).warnings).toEqual([]);
    const named = { path: 'view.pl', content: '', language: 'typescript' };
    expect((await retrieve({ activeDocument: named })).warnings).toEqual([]);
    expect((await retrieve({ ...active('', 'a.pl'), automatic: { imports: 'off' } })).warnings).toEqual([]);
  });
});
