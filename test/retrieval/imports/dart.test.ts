import { describe, expect, it } from 'vitest';
import { importsOf } from './support/tree.ts';

const pubspec = (name: string, more = ''): string => `name: ${name}\nenvironment:\n  sdk: ^3.6.0\n${more}`;

describe('Dart imports', () => {
  it('RT-02 relative and of the own package, with the names that are used; others come from elsewhere', async () => {
    const tree = {
      'pubspec.yaml': pubspec('shop'),
      'lib/cart.dart': `import 'dart:io';
import 'package:flutter/material.dart';
import 'package:shop/money.dart';
import 'src/price.dart';
import '../lib/tax.dart';
import 'gone.dart';
import 'made.g.dart';
import 'unused.dart';

Price total(Cart cart) => euro(cart.price) + Tax.rate;
`,
      'lib/money.dart': '/// In euro.\nint euro(int cents) => cents ~/ 100;\nfinal _log = Logger();\nint yen() => 1;\n',
      'lib/src/price.dart': 'final class Price {\n  final int cart = 1;\n}\n',
      'lib/tax.dart': 'abstract final class Tax {\n  static const rate = 1;\n}\n',
      'lib/unused.dart': 'class Unused {}\n',
    };
    expect(await importsOf('lib/cart.dart', tree)).toEqual({
      'dart:io': 'outside_workspace',
      'package:flutter/material.dart': 'outside_workspace',
      'package:shop/money.dart': ['lib/money.dart#euro'],
      'src/price.dart': ['lib/src/price.dart#Price'],
      '../lib/tax.dart': ['lib/tax.dart#Tax'],
      'gone.dart': 'not_found',
      'made.g.dart': 'outside_workspace',
      'unused.dart': [],
    });
  });

  it('RT-02 extensions that only their library sees, and a file that is exported twice', async () => {
    const tree = {
      'pubspec.yaml': 'name: shop\n',
      'lib/main.dart':
        "import 'texts.dart';\nimport 'all.dart';\nvoid main() => [''.hidden(), ''.nameless(), ''.shown(), Cart(), Line(), Tax()];\n",
      'lib/texts.dart':
        "part 'more.dart';\nextension _Hidden on String {\n  int hidden() => 1;\n}\nextension on String {\n  int nameless() => 1;\n}\nextension Texts on String {\n  int shown() => 1;\n}\n",
      'lib/more.dart': "part of 'texts.dart';\nfinal a = [''.hidden(), ''.nameless()];\n",
      'lib/all.dart':
        "/*\npart of the shop\n*/\nexport 'src/cart.dart' show Cart;\nexport 'src/cart.dart' show Line;\nexport 'src/more.dart';\n",
      'lib/src/more.dart': "export 'cart.dart' hide Cart;\n",
      'lib/src/cart.dart': 'class Cart {}\nclass Line {}\nclass Tax {}\n',
    };
    expect(await importsOf('lib/main.dart', tree)).toEqual({
      'texts.dart': ['lib/texts.dart#Texts.shown'],
      'all.dart': ['lib/src/cart.dart#Cart,Line,Tax'],
    });
    expect(await importsOf('lib/more.dart', tree)).toEqual({
      'texts.dart': ['lib/texts.dart#_Hidden.hidden,extension on String.nameless'],
    });
  });

  it('RT-02 prefixes, show, hide and imports of platforms', async () => {
    const declared = 'class A {}\nclass B {}\nint c = 1;\n';
    const tree = {
      'a.dart': `import 'p.dart' as p;
import 's.dart' show A, gone;
import 'h.dart' hide A;
import 'stub.dart' if (dart.library.io) 'io.dart' if (dart.library.js_interop == 'true') 'web.dart';
import 'only.dart' show made;

void main() { p.A(); final p.B b = B(); A; c; }
`,
      'p.dart': declared,
      's.dart': declared,
      'h.dart': declared,
      'stub.dart': 'int c = 0;\n',
      'io.dart': 'int c = 1;\n',
      'web.dart': 'int c = 2;\n',
      'only.dart': '@Generate()\nlibrary;\n',
    };
    expect(await importsOf('a.dart', tree)).toEqual({
      'p.dart': ['p.dart#A,B'],
      's.dart': ['s.dart#A'],
      'h.dart': ['h.dart#B,c'],
      'stub.dart': ['stub.dart#c'],
      'io.dart': ['io.dart#c'],
      'web.dart': ['web.dart#c'],
      'only.dart': ['only.dart#made'],
    });
  });

  it('RT-02 exports lead to the files that define what is used', async () => {
    const tree = {
      'main.dart': "import 'lib/all.dart';\n\nvoid main() => A(b, C, d.short, E());\n",
      'lib/all.dart':
        "export 'src/a.dart';\nexport 'src/b.dart'\n    show b;\nexport 'src/c.dart' hide C;\nexport 'all.dart';\nexport 'src/d.dart' show Words;\nexport 'package:other/e.dart';\n",
      'lib/src/a.dart': "export 'deep.dart';\nclass B {}\n",
      'lib/src/deep.dart': 'class A {}\n',
      'lib/src/b.dart': 'int get b => 1;\nclass E {}\n',
      'lib/src/c.dart': 'class C {}\n',
      'lib/src/d.dart':
        'extension Words on String {\n  String get short => substring(1);\n}\n\nextension Others on String {\n  int short() => 1;\n}\n',
    };
    expect(await importsOf('main.dart', tree)).toEqual({
      'lib/all.dart': ['lib/src/b.dart#b', 'lib/src/d.dart#Words.short', 'lib/src/deep.dart#A'],
    });
    expect(await importsOf('lib/all.dart', tree)).toMatchObject({
      'src/a.dart': ['lib/src/a.dart'],
      'src/b.dart': ['lib/src/b.dart#b'],
      'package:other/e.dart': 'outside_workspace',
    });
  });

  it('RT-02 members of extensions, but not those that everything has', async () => {
    const tree = {
      'a.dart': "import 'e.dart';\n\nvoid f(List<int> list) => list.firstOr?.map(twice)..shown;\n",
      'e.dart':
        'extension Lists<T> on List<T> {\n  T? get firstOr => null;\n  Lists map() => this;\n}\n\nextension<T> on int {\n  void shown() {}\n}\nextension type Id(int value) {\n  int get shown => 1;\n}\n',
    };
    expect(await importsOf('a.dart', tree)).toEqual({
      'e.dart': ['e.dart#Lists.firstOr'],
    });
  });

  it('RT-02 a library sees its parts, and a part what its library sees', async () => {
    const tree = {
      'lib/cart.dart': `import 'price.dart';
import 'tax.dart' as tax;
part 'cart_event.dart';
part 'cart_state.dart';
part 'cart.g.dart';
part 'gone.dart';

class Cart { final _Line line; CartEvent? event; }
`,
      'lib/cart_event.dart':
        "part of 'cart.dart';\n\nclass CartEvent { Price price; Cart cart; CartState state; final rate = tax.Rate(); }\n",
      'lib/cart_state.dart': 'part of shop.cart;\n\nclass CartState { Cart cart; }\nclass _Line {}\n',
      'lib/cart.g.dart': 'class CartEvent {}\n',
      'lib/price.dart': 'class Price {}\n',
      'lib/tax.dart': 'class Rate {}\n',
    };
    expect(await importsOf('lib/cart.dart', tree)).toEqual({
      'price.dart': [],
      'tax.dart': [],
      'cart_event.dart': ['lib/cart_event.dart#CartEvent'],
      'cart_state.dart': ['lib/cart_state.dart#_Line'],
      'cart.g.dart': [],
      'gone.dart': 'not_found',
    });
    expect(await importsOf('lib/cart_event.dart', tree)).toEqual({
      'cart.dart': ['lib/cart.dart#Cart', 'lib/cart_state.dart#CartState', 'lib/price.dart#Price', 'lib/tax.dart#Rate'],
    });
    expect(await importsOf('lib/cart_state.dart', tree)).toEqual({ 'shop.cart': ['lib/cart.dart#Cart'] });
    const alone = { 'a.dart': 'part of shop.none;\n' };
    expect(await importsOf('a.dart', alone)).toEqual({ 'shop.none': 'not_found' });
  });

  it('RT-02 providers that Riverpod makes lead to what they are made from', async () => {
    const tree = {
      'a.dart': "import 'p.dart';\n\nfinal all = [cartProvider, ordersProvider, plainProvider];\n",
      'p.dart':
        "part 'p.g.dart';\n\n@riverpod\nFuture<int> cart(Ref ref) async => 1;\n\n@riverpod\nclass OrdersNotifier extends _$OrdersNotifier {}\n\nfinal plainProvider = Provider((ref) => 1);\nint plain() => 1;\n",
    };
    expect(await importsOf('a.dart', tree)).toEqual({ 'p.dart': ['p.dart#plainProvider,cart,OrdersNotifier'] });
  });

  it('RT-02 what formatters make of declarations', async () => {
    const names = 'Sealed Both Mixed On Ident Order Old New Long record nullable late ext operators External dollar$';
    const tree = {
      'a.dart': `import 'd.dart';\n\nfinal all = [${names.split(' ').join(', ')}];\n`,
      'd.dart': `@immutable
sealed class Sealed<T extends Object?>
    extends Base<T> {}
abstract base mixin class Both {}
base mixin Mixed on Base {}
extension On on p.Base {}
extension type const Ident._(int value) {}
enum Order { a, b }
typedef int Old(int a);
typedef New<T> = void Function(T);
typedef Long<
    T> = void Function();
(int, String) record() => (1, '');
String? nullable;
late final Map<String, int> late = {};
external int ext();
set operators(int value) {}
external final int External;
final dollar$ = 1;
`,
    };
    expect(await importsOf('a.dart', tree)).toEqual({ 'd.dart': [`d.dart#${names.replaceAll(' ', ',')}`] });
  });
});

describe('Dart packages', () => {
  const a = "import 'package:b/b.dart';\nfinal b = B();\n";
  const b = { 'pubspec.yaml': pubspec('b'), 'lib/b.dart': 'class B {}\n' };
  const at = (directory: string): Record<string, string> =>
    Object.fromEntries(Object.entries(b).map(([path, text]) => [`${directory}/${path}`, text]));

  it.each<[string, string, Record<string, string>]>([
    [
      'a dependency with a path',
      'other/b',
      { 'one/a/pubspec.yaml': pubspec('a', 'dependencies:\n  b:\n    path: ../../other/b\n') },
    ],
    [
      'an override',
      'other/b',
      { 'one/a/pubspec_overrides.yaml': 'dependency_overrides: {b: {path: ../../other/b}}\n' },
    ],
    ['a pub workspace', 'other/b', { 'pubspec.yaml': pubspec('_', 'workspace:\n  - one/a\n  - other/b\n') }],
    ['melos', 'other/x/b', { 'melos.yaml': 'name: all\npackages:\n  - other/**\nscripts:\n  x: y\n' }],
    ['melos in a pubspec', 'other/b', { 'pubspec.yaml': pubspec('_', 'melos:\n  packages: [other/*]\n') }],
    [
      'what pub wrote',
      'other/b',
      {
        'one/a/.dart_tool/package_config.json':
          '{"packages":[{"name":"b","rootUri":"../../../other/b/"},{"name":"c","rootUri":"file:///home/c"}]}',
      },
    ],
    ['its name beside', 'one/b', {}],
    ['its name in packages', 'packages/b', {}],
  ])('RT-02 are found by %s', async (_, directory, more) => {
    const tree = { 'one/a/pubspec.yaml': pubspec('a'), 'one/a/lib/a.dart': a, ...at(directory), ...more };
    expect(await importsOf('one/a/lib/a.dart', tree)).toEqual({ 'package:b/b.dart': [`${directory}/lib/b.dart#B`] });
  });

  it('RT-02 outside the workspace, or with another name, are not', async () => {
    const tree = {
      'a/pubspec.yaml': pubspec('a', 'dependencies:\n  b:\n    path: ../../b\n  c: ^1.0.0\n'),
      'a/lib/a.dart': "import 'package:b/b.dart';\nimport 'package:c/c.dart';\nimport 'package:a/none.dart';\n",
      'c/pubspec.yaml': pubspec('another'),
      'c/lib/c.dart': '',
    };
    expect(await importsOf('a/lib/a.dart', tree)).toEqual({
      'package:b/b.dart': 'outside_workspace',
      'package:c/c.dart': 'outside_workspace',
      'package:a/none.dart': 'not_found',
    });
  });

  it('RT-02 broken settings say nothing', async () => {
    const tree = {
      'a/pubspec.yaml': 'name: [\ndependencies: 1\n',
      'a/.dart_tool/package_config.json': '{"packages":',
      'melos.yaml': 'packages: {}\n',
      'a/lib/a.dart': "import 'package:b/b.dart';\nimport 'x.dart';\nfinal y = x();\n",
      'a/lib/x.dart': 'void x() {}\n',
    };
    expect(await importsOf('a/lib/a.dart', tree)).toEqual({
      'package:b/b.dart': 'outside_workspace',
      'x.dart': ['a/lib/x.dart#x'],
    });
  });
});
