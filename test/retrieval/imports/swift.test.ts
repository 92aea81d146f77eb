import { describe, expect, it } from 'vitest';
import { importsOf, parse } from './support/tree.ts';

const manifest = (targets: string): string =>
  `// swift-tools-version: 6.0\nimport PackageDescription\nlet package = Package(name: "shop", targets: [\n${targets}\n])\n`;

describe('Swift', () => {
  it('RT-02 types, functions and extensions of the own module, by their names and near the file', async () => {
    const tree = {
      'Package.swift': manifest('.target(name: "Shop"), .target(name: "Other")'),
      'Sources/Shop/Cart/Cart.swift': `import Foundation

@MainActor
final class Cart: Priced<Money>, Sendable {
  @Stored var lines: [Line] = []
  let tax: Tax.Rate
  func total() -> Price { round(lines.sum, to: .euro); Log.shared.write(name.trimmed()); return Cart.none }
}
`,
      'Sources/Shop/Cart/Parts.swift':
        'public struct Line: Codable {}\nprivate struct Stored {}\nfunc round(_ a: Int) -> Int { a }\nprotocol Priced {}\n',
      'Sources/Shop/Money.swift': 'enum Money { case euro }\n',
      'Sources/Shop/Tax+Rates.swift': 'extension Tax {\n    struct Rate {}\n    static let most = 1\n}\n',
      'Sources/Shop/Price.swift': '/// A price.\npublic struct Price {}\nstruct Unused {}\n',
      'Sources/Shop/String+Trim.swift':
        'extension String {\n  func trimmed() -> String {\n    let sum = 1\n    return self\n  }\n  fileprivate func write() {}\n}\n',
      'Sources/Shop/Basket.swift': 'struct Basket {}\nextension Basket {\n  var sum: Int { 1 }\n}\n',
      'Sources/Shop/Log.generated.swift': 'struct Log {}\n',
      'Sources/Other/Line.swift': 'struct Line {}\n',
      'Tests/ShopTests/Line.swift': 'struct Line {}\n',
    };
    expect(await importsOf('Sources/Shop/Cart/Cart.swift', tree)).toEqual({
      '': [
        'Sources/Shop/Cart/Parts.swift#Priced,Line,round',
        'Sources/Shop/Money.swift#Money',
        'Sources/Shop/Tax+Rates.swift#extension Tax.Rate',
        'Sources/Shop/Price.swift#Price',
        'Sources/Shop/String+Trim.swift#extension String.trimmed',
      ],
      Foundation: 'outside_workspace',
    });
  });

  it('RT-02 attributes before a declaration, with anything in brackets', async () => {
    const tree = {
      'Package.swift': manifest('.target(name: "Shop")'),
      'Sources/Shop/Main.swift': 'let a: Spied; let b: Named; let c: Newer; let d: Hidden\n',
      'Sources/Shop/Cart.swift': `@_spi(Private) @objc public final class Spied {}
@objc(SHNamed) public class Named {}
@available(iOS 13.0, *) struct Newer {}
@_spi(Private) private struct Hidden {}
`,
    };
    expect(await importsOf('Sources/Shop/Main.swift', tree)).toEqual({
      '': ['Sources/Shop/Cart.swift#Spied,Named,Newer'],
    });
  });

  it('RT-02 members of private extensions are not seen, and those for one platform are', async () => {
    const tree = {
      'Package.swift': manifest('.target(name: "Shop")'),
      'Sources/Shop/Main.swift':
        'func main(name: String) { name.hidden(); name.closed(); name.shown(); Latest(); Phone() }\n',
      'Sources/Shop/Hidden.swift':
        'private extension String {\n  func hidden() {}\n}\nfileprivate extension String {\n  func closed() {}\n}\n',
      'Sources/Shop/Latest.swift': 'struct Latest {}\n',
      'Sources/Shop/Platform.swift':
        '#if os(iOS)\n  struct Phone {}\n\n  extension String {\n    #if DEBUG\n      var debug: Int { 1 }\n    #endif\n    func shown() {}\n  }\n#endif\n',
    };
    expect(await importsOf('Sources/Shop/Main.swift', tree)).toEqual({
      '': ['Sources/Shop/Latest.swift#Latest', 'Sources/Shop/Platform.swift#Phone,extension String.shown'],
    });
  });

  it('RT-02 a condition of the compiler inside a type makes nothing in it visible', async () => {
    const tree = {
      'Package.swift': manifest('.target(name: "Shop")'),
      'Sources/Shop/Main.swift': 'func main() { total.add(); Late(); open.add() }\n',
      'Sources/Shop/Cart.swift':
        'final class Cart {\n    func a() {\n#if DEBUG\n        let total = Total()\n#endif\n    }\n}\n\nvar sum: Int {\n#if DEBUG\n    let total = 1\n#endif\n}\n#if DEBUG\n    struct Late {}\n    let open = 1\n#endif\n',
    };
    expect(await importsOf('Sources/Shop/Main.swift', tree)).toEqual({ '': ['Sources/Shop/Cart.swift#Late,open'] });
  });

  it('RT-02 a type that ends in its line, and a macro, enclose no condition of the compiler below them', async () => {
    const below = '#if DEBUG\n    struct Late {}\n#endif\n';
    for (const above of [
      'struct Unit {} // none',
      'struct Unit {}\r',
      'func open() { load("https://a") }',
      'public macro url(_ text: String) -> URL = #externalMacro(module: "Macros", type: "URLMacro")',
      'macro url(_ text: String) -> URL =\n  #externalMacro(module: "Macros", type: "URLMacro")',
    ]) {
      const tree = {
        'Package.swift': manifest('.target(name: "Shop")'),
        'Sources/Shop/Main.swift': 'func main() { Late() }\n',
        'Sources/Shop/Cart.swift': `${above}\n${below}`,
      };
      expect(await importsOf('Sources/Shop/Main.swift', tree), above).toEqual({ '': ['Sources/Shop/Cart.swift#Late'] });
    }
  });

  it('RT-02 what a property computes is no part of its type', async () => {
    const lines = Array.from({ length: 20 }, (_, index) => `    var v${index}: Int\n`).join('');
    const text = `class Data {\n    static var cart: Cart {\n        let cart = Cart()\n        return cart\n    }\n${lines}}\n`;
    const { definitions } = await parse('swift', text);
    expect(definitions.find(({ name }) => name === 'Data')?.text).toBe(
      `class Data\n    static var cart: Cart\n${lines.trimEnd()}`,
    );
  });

  it('RT-02 modules that are imported: targets of the package, of packages beside and of those with a path', async () => {
    const tree = {
      'App/Package.swift': manifest(
        '.package(path: "../shared/Money"),\n.executableTarget(name: "App", dependencies: [.target(name: "Core")], path: "App/Code"),\n.target(\n  name: "Core",\n  dependencies: []\n)',
      ),
      'App/App/Code/main.swift':
        'import Core\nimport Money\nimport struct Beside.Only\nimport Gone\n\nlet cart = Cart(Euro(), Only(), Twice())\n',
      'App/Sources/Core/Cart.swift': 'public class Cart {}\npublic struct Twice {}\n',
      'shared/Money/Package.swift': manifest('.target(name: "Money")'),
      'shared/Money/Sources/Money/Euro.swift': 'public struct Euro {}\npublic struct Twice {}\n',
      'Packages/Side/Package.swift': 'let package = Package(targets: all())\n',
      'Packages/Side/Sources/Beside/Things.swift': 'public struct Only {}\npublic struct Cart {}\n',
    };
    expect(await importsOf('App/App/Code/main.swift', tree)).toEqual({
      '': [],
      Core: ['App/Sources/Core/Cart.swift#Cart,Twice'],
      Money: ['shared/Money/Sources/Money/Euro.swift#Euro'],
      Beside: ['Packages/Side/Sources/Beside/Things.swift#Only'],
      Gone: 'outside_workspace',
    });
  });

  it('RT-02 tests see their module and what they test; sources see no tests', async () => {
    const tree = {
      'Package.swift': manifest('.target(name: "Shop"), .testTarget(name: "ShopTests")'),
      'Sources/Shop/Cart.swift': 'struct Cart { let fake: Fake }\n',
      'Sources/Shop/CartTests.swift': 'struct Fake {}\n',
      'Tests/ShopTests/CartTests.swift': 'import XCTest\n@testable import Shop\n\nlet a = Cart(Fake())\n',
      'Tests/ShopTests/Fakes.swift': 'struct Fake {}\n',
    };
    expect(await importsOf('Tests/ShopTests/CartTests.swift', tree)).toEqual({
      '': ['Tests/ShopTests/Fakes.swift#Fake'],
      XCTest: 'outside_workspace',
      Shop: ['Sources/Shop/Cart.swift#Cart'],
    });
    expect(await importsOf('Sources/Shop/Cart.swift', tree)).toEqual({ '': [] });
  });

  it('RT-02 an Xcode project: the directory of the target first, then others, but no tests and no packages', async () => {
    const tree = {
      'ios/Shop.xcodeproj/project.pbxproj': '',
      'ios/Shop/UI/CartView.swift':
        'struct CartView: View { let a: Cart; let b: Shared; let c: Fake; let d: Packed }\n',
      'ios/Shop/Model/Cart.swift': 'struct Cart {}\n',
      'ios/Widget/Cart.swift': 'struct Cart {}\n',
      'ios/Common/Shared.swift': 'struct Shared {}\n',
      'ios/ShopTests/Fake.swift': 'struct Fake {}\n',
      'ios/ShopTests/CartTests.swift': '@testable import Shop_App\n\nlet a = Cart(Fake())\n',
      'ios/Kit/Package.swift': manifest('.target(name: "Kit")'),
      'ios/Kit/Sources/Kit/Packed.swift': 'struct Packed {}\n',
      'ios/Mac/AppDelegate.swift': 'class AppDelegate {}\n',
      'ios/Mac/View.swift': 'struct View {}\n',
      'ios/Pods/View.swift': 'struct View {}\n',
    };
    expect(await importsOf('ios/Shop/UI/CartView.swift', tree)).toEqual({
      '': ['ios/Shop/Model/Cart.swift#Cart', 'ios/Common/Shared.swift#Shared'],
    });
    expect(await importsOf('ios/ShopTests/CartTests.swift', tree)).toMatchObject({
      '': ['ios/ShopTests/Fake.swift#Fake'],
      Shop_App: [expect.stringContaining('Cart.swift#Cart')],
    });
  });

  it('RT-02 a directory of tests that is named after what they test is not what they test', async () => {
    const tree = {
      'mac/Shop.xcodeproj/project.pbxproj': '',
      'mac/Sources/Cart.swift': 'struct Cart {}\n',
      'mac/Tests/CartTests.swift': '@_spi(Private) @testable import Shop\n\nlet a = Cart()\n',
      'mac/Tests/Shop/LineTests.swift': 'struct LineTests {}\n',
      // A project can be called like tests.
      'SpeedTest/SpeedTest.xcodeproj/project.pbxproj': '',
      'SpeedTest/App/Main.swift': 'import Core\n\nlet a = Timer()\n',
      'SpeedTest/Core/Timer.swift': 'public struct Timer {}\n',
    };
    expect(await importsOf('mac/Tests/CartTests.swift', tree)).toEqual({
      Shop: ['mac/Sources/Cart.swift#Cart'],
      '': [],
    });
    expect(await importsOf('SpeedTest/App/Main.swift', tree)).toMatchObject({
      Core: ['SpeedTest/Core/Timer.swift#Timer'],
    });
  });
});
