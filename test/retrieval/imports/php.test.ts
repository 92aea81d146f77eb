import { describe, expect, it } from 'vitest';
import { importsOf } from './support/tree.ts';

const composer = (fields: object): string => JSON.stringify(fields);
const classText = (namespace: string, name: string): string => `<?php\nnamespace ${namespace};\nclass ${name} {}\n`;

describe('PHP imports', () => {
  it('RT-02 classes of a Composer project: use, groups, aliases, full names and names of the own namespace', async () => {
    const tree = {
      'composer.json': composer({ autoload: { 'psr-4': { 'App\\': 'app/' } } }),
      'app/Http/Cart.php': `<?php
namespace App\\Http;
use App\\Price\\Tax;
use App\\Models\\{Line, Money as Cash,};
use App\\Rules as R;
use Illuminate\\Support\\Str;
use App\\Price\\Missing;
use DateTime;
#[Mark]
class Cart extends Base implements \\App\\Models\\Sum, \\Countable {
  use Shared;
  function f(Line $line, Cash|Other $money): R\\Size { return namespace\\Deep\\Far::of(Sub\\Near::X, new Unknown); }
}
`,
      'app/Price/Tax.php': '',
      'app/Models/Line.php': '',
      'app/Models/Money.php': '',
      'app/Models/Sum.php': '',
      'app/Rules/Size.php': '',
      'app/Http/Base.php': '',
      'app/Http/Mark.php': '',
      'app/Http/Shared.php': '',
      'app/Http/Unused.php': '',
      'app/Http/Deep/Far.php': '',
      'app/Http/Sub/Near.php': '',
    };
    expect(await importsOf('app/Http/Cart.php', tree)).toEqual({
      'App\\Http': ['app/Http/Mark.php#Mark', 'app/Http/Base.php#Base', 'app/Http/Shared.php#Shared'],
      'App\\Price\\Tax': ['app/Price/Tax.php#Tax'],
      'App\\Models\\Line': ['app/Models/Line.php#Line'],
      'App\\Models\\Money': ['app/Models/Money.php#Money'],
      'Illuminate\\Support\\Str': 'outside_workspace',
      'App\\Price\\Missing': 'not_found',
      DateTime: 'outside_workspace',
      'App\\Models\\Sum': ['app/Models/Sum.php#Sum'],
      Countable: 'outside_workspace',
      'App\\Rules\\Size': ['app/Rules/Size.php#Size'],
      'App\\Http\\Deep\\Far': ['app/Http/Deep/Far.php#Far'],
      'App\\Http\\Sub\\Near': ['app/Http/Sub/Near.php#Near'],
    });
  });

  it('RT-02 a directory named like an installed package does not make the package ours', async () => {
    const tree = {
      'composer.json': composer({ 'autoload-dev': { 'psr-4': { 'Tests\\': 'tests/' } } }),
      'tests/Feature/TeamTest.php': '<?php\nuse Livewire\\Livewire;\nuse Tests\\None;\n',
      'tests/Feature/Livewire/UploadTest.php': '',
    };
    expect(await importsOf('tests/Feature/TeamTest.php', tree)).toEqual({
      'Livewire\\Livewire': 'outside_workspace',
      'Tests\\None': 'not_found',
    });
  });

  it('RT-02 the longest prefix goes first, and several directories can have one prefix', async () => {
    const tree = {
      'composer.json': composer({
        autoload: { 'psr-4': { 'A\\': 'src/', 'A\\Support\\': ['lib/one', 'lib/two/'] } },
        'autoload-dev': { 'psr-4': { 'A\\Tests\\': 'tests' } },
      }),
      'tests/UseTest.php':
        '<?php\nuse A\\Support\\Str;\nuse A\\Support\\Arr;\nuse A\\Support\\Old;\nuse A\\Tests\\Case\\Base;\n',
      'src/Support/Str.php': '',
      'src/Support/Old.php': '',
      'lib/one/Str.php': '',
      'lib/two/Arr.php': '',
      'tests/Case/Base.php': '',
    };
    expect(await importsOf('tests/UseTest.php', tree)).toEqual({
      'A\\Support\\Str': ['lib/one/Str.php#Str'],
      'A\\Support\\Arr': ['lib/two/Arr.php#Arr'],
      'A\\Support\\Old': ['src/Support/Old.php#Old'],
      'A\\Tests\\Case\\Base': ['tests/Case/Base.php#Base'],
    });
  });

  it('RT-02 PSR-0 and class maps', async () => {
    const tree = {
      'composer.json': composer({
        autoload: { 'psr-0': { Twig_: 'lib/', 'Old\\': 'old' }, classmap: ['inc/', 'one/Single.php'] },
      }),
      'a.php':
        '<?php\nnew Twig_Node_Text; new Shop_Cart; new Single; new Wrong;\nuse Old\\Deep\\My_Class;\nuse Map\\Named;\n',
      'lib/Twig/Node/Text.php': '',
      'old/Old/Deep/My/Class.php': '',
      'inc/deep/class-shop-cart.php': '<?php\nfinal class Shop_Cart {}\n',
      'inc/Wrong.php': '<?php\n// class Wrong\nclass Other {}\n',
      'inc/x/Named.php': classText('Other', 'Named'),
      'inc/y/Named.php': classText('Map', 'Named'),
      'one/Single.php': '<?php\ninterface Single {}\n',
    };
    expect(await importsOf('a.php', tree)).toEqual({
      '': ['lib/Twig/Node/Text.php#Twig_Node_Text', 'inc/deep/class-shop-cart.php#Shop_Cart', 'one/Single.php#Single'],
      'Old\\Deep\\My_Class': ['old/Old/Deep/My/Class.php#My_Class'],
      'Map\\Named': ['inc/y/Named.php#Named'],
    });
  });

  it('RT-02 functions and constants of files that are always loaded, and of files of their namespace', async () => {
    const tree = {
      'composer.json': composer({ autoload: { 'psr-4': { 'App\\': 'app' }, files: ['app/helpers.php'] } }),
      'app/helpers.php': `<?php
namespace { function money($x) {} class K { public function trim() {} } define('RATE', 2); }
namespace App { function text() {} const LIMIT = 3; }`,
      'app/Deep/functions.php': '<?php\nnamespace App\\Deep;\nfunction far() {}\n',
      'app/Use.php': `<?php
namespace App;
use function App\\Deep\\far;
use function App\\Deep\\{none, text as other,};
use const App\\LIMIT, RATE;
text(); money(1); trim(''); other(); far(); \\App\\text();
`,
    };
    expect(await importsOf('app/Use.php', tree)).toEqual({
      'App\\Deep\\far': ['app/Deep/functions.php#far'],
      'App\\Deep\\none': 'not_found',
      'App\\Deep\\text': 'not_found',
      'App\\LIMIT': ['app/helpers.php#LIMIT'],
      RATE: ['app/helpers.php#RATE'],
      'App\\text': ['app/helpers.php#text'],
      App: [],
      'App{text,money,trim}': ['app/helpers.php#text,money'],
    });
  });

  it('RT-02 packages of a monorepo: those above, repositories with a path, and those beside', async () => {
    const tree = {
      'composer.json': composer({ autoload: { 'psr-4': { 'Fw\\': 'src/Fw/' } } }),
      'src/Fw/Http/composer.json': composer({
        autoload: { 'psr-4': { 'Fw\\Http\\': '' } },
        repositories: { x: { type: 'path', url: '../../../local/*' }, y: { type: 'vcs', url: 'https://example.com' } },
      }),
      'src/Fw/Http/Kernel.php':
        '<?php\nnamespace Fw\\Http;\nuse Fw\\Log\\Logger;\nuse Local\\Tool;\nuse Side\\Thing;\nclass Kernel { function f(Request $r) {} }\n',
      'src/Fw/Http/Request.php': '',
      'src/Fw/Log/Logger.php': '',
      'local/a/composer.json': composer({ autoload: { 'psr-4': { 'Local\\': 'src' } } }),
      'local/a/src/Tool.php': '',
      'packages/side/composer.json': composer({ autoload: { 'psr-4': { 'Side\\': 'src/' } } }),
      'packages/side/src/Thing.php': '',
    };
    expect(await importsOf('src/Fw/Http/Kernel.php', tree)).toEqual({
      'Fw\\Http': ['src/Fw/Http/Request.php#Request'],
      'Fw\\Log\\Logger': ['src/Fw/Log/Logger.php#Logger'],
      'Local\\Tool': ['local/a/src/Tool.php#Tool'],
      'Side\\Thing': ['packages/side/src/Thing.php#Thing'],
    });
  });

  it('RT-02 without Composer: the place of the own namespace, and files named as in WordPress', async () => {
    const tree = {
      'includes/Admin/Page.php':
        '<?php\nnamespace Shop\\Plugin\\Admin;\nuse Shop\\Plugin\\Core\\Loader;\nclass Page extends Screen { public Menu_Item $i; }\n',
      'includes/Admin/Screen.php': '<?php\nnamespace Shop\\Plugin\\Admin;\nuse Shop\\Plugin\\Core\\Loader;\n',
      'includes/Admin/class-menu-item.php': classText('Shop\\Plugin\\Admin', 'Menu_Item'),
      'includes/Core/Loader.php': '',
      'main.php': '<?php\nnew Shop_Cart; new Shop_Other; new WP_Query; new Shop_Deep; new ShopPlain;\n',
      'includes/deep/class-shop-deep.php': '<?php class Shop_Deep {}',
      'a/ShopPlain.php': '<?php class ShopPlain {}',
      'vendor/a/class-wp-query.php': '<?php class WP_Query {}',
      'class-shop-cart.php': '<?php class Shop_Cart {}',
      'class-other.php': '<?php abstract class Shop_Other {}',
      'class-query.php': '<?php class Query {}',
    };
    expect(await importsOf('includes/Admin/Page.php', tree)).toEqual({
      'Shop\\Plugin\\Admin': ['includes/Admin/Screen.php#Screen', 'includes/Admin/class-menu-item.php#Menu_Item'],
      'Shop\\Plugin\\Core\\Loader': ['includes/Core/Loader.php#Loader'],
    });
    expect(await importsOf('includes/Admin/Screen.php', tree)).toEqual({
      'Shop\\Plugin\\Admin': [],
      'Shop\\Plugin\\Core\\Loader': ['includes/Core/Loader.php#Loader'],
    });
    expect(await importsOf('main.php', tree)).toEqual({
      '': [
        'class-shop-cart.php#Shop_Cart',
        'class-other.php#Shop_Other',
        'includes/deep/class-shop-deep.php#Shop_Deep',
        'a/ShopPlain.php#ShopPlain',
      ],
    });
  });

  it('RT-02 functions of files beside, where Composer has no rule for the file', async () => {
    const tree = {
      'inc/hooks.php': '<?php\nshop_price(1); shop_far(); own(); strlen(X);\nfunction own() {}\n',
      'inc/helper.php': '<?php\nfunction shop_price($n) {}\n',
      'lib/deep/shop-functions.php': '<?php\nfunction shop_far() {}\n',
      'lib/other.php': '<?php\nfunction strlen() {}\n',
    };
    expect(await importsOf('inc/hooks.php', tree)).toEqual({
      '': ['inc/helper.php#shop_price', 'lib/deep/shop-functions.php#shop_far'],
    });
    const rule = { 'composer.json': composer({ autoload: { classmap: ['inc'] } }) };
    expect(await importsOf('inc/hooks.php', { ...tree, ...rule })).toEqual({ '': [] });
  });

  it('RT-02 of files with the same name, the nearest one that declares the class', async () => {
    const tree = {
      'plugins/a/inc/main.php': '<?php\nnew Cart; new Tax;\n',
      'plugins/a/lib/Cart.php': '<?php class Cart {}',
      'plugins/a/lib/Tax.php': classText('Other', 'Tax'),
      'plugins/aa/Cart.php': '<?php class Cart {}',
      'plugins/aa/Tax.php': '<?php class Tax {}',
    };
    expect(await importsOf('plugins/a/inc/main.php', tree)).toEqual({
      '': ['plugins/a/lib/Cart.php#Cart', 'plugins/aa/Tax.php#Tax'],
    });
  });

  it('RT-02 where Composer has rules, a file is taken for its name only if the class can be without one', async () => {
    const tree = {
      'composer.json': composer({ autoload: { 'psr-4': { 'App\\': 'app/' } } }),
      'app/A.php': '<?php\nnamespace App;\nnew \\Other;\n',
      'lib/Other.php': '<?php class Other {}',
    };
    expect(await importsOf('app/A.php', tree)).toEqual({ App: [], Other: 'outside_workspace' });
    const old = {
      ...tree,
      'app/C.php': '<?php\nnew \\Shop_Cart; new \\App\\Old\\Tax; new \\App\\None; \\App\\Old\\tax_of();\n',
    };
    const files = {
      'inc/class-shop-cart.php': '<?php class Shop_Cart {}',
      'inc/old/class-tax.php': classText('App\\Old', 'Tax'),
      'inc/old/tax-functions.php': '<?php\nnamespace App\\Old;\nfunction tax_of() {}\n',
    };
    expect(await importsOf('app/C.php', { ...old, ...files })).toEqual({
      Shop_Cart: ['inc/class-shop-cart.php#Shop_Cart'],
      'App\\Old\\Tax': ['inc/old/class-tax.php#Tax'],
      'App\\None': 'not_found',
      'App\\Old\\tax_of': ['inc/old/tax-functions.php#tax_of'],
    });
    expect(await importsOf('lib/b.php', { ...tree, 'lib/b.php': '<?php new \\Other;' })).toEqual({
      Other: ['lib/Other.php#Other'],
    });
  });

  it('RT-02 a required file behind a constant lies in one directory beside those above', async () => {
    const tree = {
      'www/api/a.php': `<?php
require LIB_PATH . '/tools.php';
require ABSPATH . WPINC . '/option.php';
require APP_PATH . '/two.php';
require VENDOR_PATH . '/autoload.php';
require 'bare.php';
`,
      'lib/tools.php': '',
      'wp-includes/option.php': '',
      'www/lib/option.php': '',
      'lib/two.php': '',
      'app/two.php': '',
      'vendor/autoload.php': '',
      'lib/bare.php': '',
    };
    expect(await importsOf('www/api/a.php', tree)).toEqual({
      'tools.php': ['lib/tools.php'],
      'option.php': ['www/lib/option.php'],
      'two.php': 'unsupported',
      'autoload.php': 'unsupported',
      'bare.php': 'not_found',
    });
  });

  it('RT-02 required files: literal paths, directories of the file, and ends of paths', async () => {
    const tree = {
      'plugin/inc/a.php': `<?php
require __DIR__ . '/b.php';
require_once dirname(__FILE__) . "/deep/c.php";
include(dirname(__DIR__) . DIRECTORY_SEPARATOR . 'd.php');
include_once dirname(__FILE__, 2) . '/e.php';
require plugin_dir_path(__FILE__) . 'f.php';
require realpath(__DIR__ . '/../g.php');
require 'plugin/h.php';
require PLUGIN_PATH . 'inc/i.php';
require $this->root . '/inc/i2.php';
require "$dir/inc/i3.php";
require base_path('plugin/j.php');
require $name . '-part.php';
require $file;
require __DIR__ . '/../missing.php';
require PLUGIN_PATH . 'inc/missing.php';
require ABSPATH . 'wp-admin/includes/plugin.php';
require __DIR__ . '/../../vendor/autoload.php';
require PLUGIN_PATH . 'vendor/other.php';
require __DIR__ . "/{$x}.php";
b_of(1); new C;
`,
      'plugin/inc/b.php': '<?php /** class C */ function b_of($n) { return new C; }',
      'plugin/inc/deep/c.php': '<?php class C {}',
      'plugin/vendor/other.php': '',
      ...Object.fromEntries(['d', 'e', 'g', 'h', 'j'].map((name) => [`plugin/${name}.php`, ''])),
      ...Object.fromEntries(['f', 'i', 'i2', 'i3'].map((name) => [`plugin/inc/${name}.php`, ''])),
    };
    expect(await importsOf('plugin/inc/a.php', tree)).toEqual({
      './b.php': ['plugin/inc/b.php#b_of'],
      './deep/c.php': ['plugin/inc/deep/c.php#C'],
      '../d.php': ['plugin/d.php'],
      '../e.php': ['plugin/e.php'],
      './f.php': ['plugin/inc/f.php'],
      '../g.php': ['plugin/g.php'],
      'plugin/h.php': ['plugin/h.php'],
      'inc/i.php': ['plugin/inc/i.php'],
      'inc/i2.php': ['plugin/inc/i2.php'],
      'inc/i3.php': ['plugin/inc/i3.php'],
      'plugin/j.php': ['plugin/j.php'],
      '../missing.php': 'not_found',
      'inc/missing.php': 'unsupported',
      'wp-admin/includes/plugin.php': 'outside_workspace',
      '../../vendor/autoload.php': 'outside_workspace',
      'vendor/other.php': 'outside_workspace',
      '': ['plugin/inc/deep/c.php#C'],
      '{dirname,plugin_dir_path,realpath,base_path,b_of}': ['plugin/inc/b.php#b_of'],
    });
  });

  it('RT-02 a class that is missing, or of a package by the same maker', async () => {
    const tree = (fields: object): Record<string, string> => ({
      'composer.json': composer({ autoload: { 'psr-4': { 'Acme\\': 'src/' } }, ...fields }),
      'src/Here/A.php': '<?php\nuse Acme\\Mail\\Message;\nuse Acme\\Here\\Missing;\nuse Other\\Mail;\n',
    });
    expect(await importsOf('src/Here/A.php', tree({ require: { php: '>=8', 'other/a': '*' } }))).toEqual({
      'Acme\\Mail\\Message': 'not_found',
      'Acme\\Here\\Missing': 'not_found',
      'Other\\Mail': 'outside_workspace',
    });
    expect(await importsOf('src/Here/A.php', tree({ 'require-dev': { 'acme/mail': '^1' } }))).toMatchObject({
      'Acme\\Mail\\Message': 'outside_workspace',
      'Acme\\Here\\Missing': 'not_found',
    });
  });

  it('RT-02 a document that is being written', async () => {
    const tree = {
      'composer.json': composer({ autoload: { 'psr-4': { 'App\\': 'app/' } } }),
      ...Object.fromEntries(['User', 'Base', 'Other', 'Far'].map((name) => [`app/${name}.php`, ''])),
    };
    const head = '<?php\nnamespace App;\nuse App\\User;\n';
    const texts = [
      'class A extends Base {\n  function f() {\n    $x = new Far($u->\n  }\n  function g(Other $o) {}\n}\n',
      'class A extends Base {\n  function f() {\n    $x = Far::\n  }\n  function g(Other $o) { $o-> }\n',
    ];
    for (const text of texts)
      expect(await importsOf('app/A.php', { ...tree, 'app/A.php': head + text })).toMatchObject({
        App: expect.arrayContaining(['app/Base.php#Base']),
        'App\\User': ['app/User.php#User'],
      });
    const half = { ...tree, 'app/A.php': `${head}use App\\Us\n\nclass A { function f() { return 1; } }\n` };
    expect(await importsOf('app/A.php', half)).toEqual({ App: [], 'App\\User': ['app/User.php#User'] });
  });

  it('RT-02 PHP inside HTML, and templates of Blade', async () => {
    const tree = {
      'composer.json': composer({ autoload: { 'psr-4': { 'App\\': 'app/' } } }),
      'app/Price.php': '',
      'view.phtml': '<h1><?php use App\\Price; ?></h1>\n<?= Price::of($x) ?>\n<p title="use App\\Other;">\n',
      'cart.blade.php':
        "@extends('a')\n<p class=\"x\">{{ \\App\\Price::of($x) }} @if($a < 3) ' @endif</p>\n<?php echo \\App\\Price::X; ?>\n",
    };
    expect(await importsOf('view.phtml', tree)).toEqual({ 'App\\Price': ['app/Price.php#Price'] });
    expect(await importsOf('cart.blade.php', tree)).toEqual({ 'App\\Price': ['app/Price.php#Price'] });
  });
});
