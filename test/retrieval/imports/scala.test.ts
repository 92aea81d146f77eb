import { describe, expect, it } from 'vitest';
import { atOnce } from '../../../src/pace/turns.ts';
import { readScalaDeclarations } from '../../../src/retrieval/imports/jvm/scala-declared.ts';
import { importsOf, parse } from './support/tree.ts';

const main = 'src/main/scala';

describe('Scala imports', () => {
  it('RT-02 relative to the own package, where directories leave out its beginning', async () => {
    const tree = {
      'build.sbt': '',
      'core/src/main/scala/A.scala': 'package chess\nimport variant.Atomic\nval a = Atomic\n',
      'core/src/main/scala/variant/Atomic.scala': 'package chess\npackage variant\n\nobject Atomic\n',
    };
    const found = await importsOf('core/src/main/scala/A.scala', tree);
    expect(Object.values(found)).toContainEqual(['core/src/main/scala/variant/Atomic.scala#Atomic']);
  });

  it('RT-02 one by one, several, renamed, hidden and relative, of packages, objects and their members', async () => {
    const tree = {
      'build.sbt': '',
      [`${main}/shop/Cart.scala`]: `package shop

import shop.price.Tax
import shop.price.{Euro, Yen => Money, Hidden => _}
import price.Level.High
import _root_.shop.price.Rates.standard
import shop.price.Rates.inherited
import shop.price.helper
import shop.price
import shop.tax
import shop.price.Legacy, shop.price.Kot
import shop.price.Legacy.Inner
import shop.price.Gone
import java.util.UUID
import scala.collection.mutable

class Cart(l: price.Limit, t: tax.Limit) { price.round(1) }
`,
      [`${main}/shop/price/Tax.scala`]: 'package shop.price\n\nclass Tax\n',
      [`${main}/shop/price/Models.scala`]: `package shop
package price

final case class Euro(cents: Int)
case class Yen(n: Int)
private[shop] sealed abstract class Limit
enum Level:
  case Low, High
object Rates extends Base {
  val standard = 1
}
trait Base {
  def inherited = 1
}
`,
      [`${main}/shop/price/package.scala`]:
        'package shop\n\npackage object price {\n  def helper = 1\n\n  def round(n: Int) = n\n}\n',
      [`${main}/shop/tax/Limit.scala`]: 'package shop.tax\n\nclass Limit\n',
      'src/main/java/shop/price/Legacy.java': 'package shop.price;\n',
      'src/main/kotlin/shop/price/Kotlin.kt': 'package shop.price\n\nclass Kot\n',
    };
    const models = `${main}/shop/price/Models.scala`;
    expect(await importsOf(`${main}/shop/Cart.scala`, tree)).toEqual({
      'shop.price.Tax': [`${main}/shop/price/Tax.scala#Tax`],
      'shop.price.Euro': [`${models}#Euro`],
      'shop.price.Yen': [`${models}#Yen`],
      'price.Level.High': [`${models}#Level.High`],
      '_root_.shop.price.Rates.standard': [`${models}#Rates.standard`],
      'shop.price.Rates.inherited': [`${models}#Base.inherited`],
      'shop.price.helper': [`${main}/shop/price/package.scala#helper`],
      'shop.price': [`${models}#Limit`, `${main}/shop/price/package.scala#round`],
      'shop.tax': [`${main}/shop/tax/Limit.scala#Limit`],
      'shop.price.Legacy': ['src/main/java/shop/price/Legacy.java#Legacy'],
      'shop.price.Legacy.Inner': ['src/main/java/shop/price/Legacy.java#Legacy.Inner'],
      'shop.price.Kot': ['src/main/kotlin/shop/price/Kotlin.kt#Kot'],
      'shop.price.Gone': 'not_found',
      'java.util.UUID': 'outside_workspace',
      'scala.collection.mutable': 'outside_workspace',
      shop: [],
    });
  });

  it('RT-02 what a file uses of its own packages, of imported packages and of objects with what they inherit', async () => {
    const tree = {
      'build.sbt': '',
      [`${main}/shop/cart/Cart.scala`]: `package shop
package cart

import money._
import shop.syntax.all.*
import shop.Tables.{Row as _, *}

class Cart(val tax: Tax, owner: Owner) extends Base {
  def total(rate: Int) = lines.sumUp(rate) |+| discount() + "x".trimmed + sql"y" + Orders.size.half.map
}
`,
      [`${main}/shop/cart/Base.scala`]:
        'package shop.cart\n\ntrait Base\n\nclass Tax\n\nclass Unused\n\ndef rate = 1\n',
      [`${main}/shop/Owner.scala`]: 'package shop\n\ncase class Owner(name: String)\n\nclass Tax\n',
      [`${main}/shop/money/Money.scala`]:
        'package shop.money\n\ndef discount() = 1\n\nextension (n: List[Int])\n  def sumUp(rate: Int) = 1\n  private def hidden = 1\n',
      [`${main}/shop/syntax/package.scala`]:
        'package shop\n\npackage object syntax {\n  object all\n    extends StringSyntax\n    with Other\n}\n',
      [`${main}/shop/syntax/StringSyntax.scala`]:
        'package shop.syntax\n\ntrait StringSyntax {\n  implicit class Ops(val s: String) {\n    def trimmed = s\n    def |+|(t: Int) = t\n  }\n  implicit class Sql(c: StringContext) { \n    def sql() = 1\n  }\n  implicit final def toIntOps(n: Int): IntOps = new IntOps(n)\n}\n\nfinal class IntOps(private val n: Int) extends AnyVal {\n  def half = n\n  def map = n\n}\n',
      [`${main}/shop/Tables.scala`]:
        'package shop\n\nobject Tables extends OrderTable\n\ntrait OrderTable {\n  lazy val Orders = 1\n}\n',
    };
    const syntax = `${main}/shop/syntax/StringSyntax.scala`;
    expect(await importsOf(`${main}/shop/cart/Cart.scala`, tree)).toEqual({
      'shop.cart': [`${main}/shop/cart/Base.scala#Tax,Base`],
      shop: [`${main}/shop/Owner.scala#Owner`],
      money: [`${main}/shop/money/Money.scala#discount,sumUp`],
      'shop.syntax.all': [`${syntax}#StringSyntax.Ops.|+|,StringSyntax.Ops.trimmed,StringSyntax.Sql.sql,IntOps.half`],
      'shop.Tables': [`${main}/shop/Tables.scala#OrderTable.Orders`],
    });
  });

  it('RT-02 an extension that is imported by its name is not looked for in other packages', async () => {
    const extension = 'extension (n: Int)\n  def half = n\n';
    const tree = {
      'build.sbt': '',
      [`${main}/a/A.scala`]: 'package a\n\nimport b.half\n\nval one = 2.half\n',
      [`${main}/a/Other.scala`]: `package a\n\n${extension}`,
      [`${main}/b/Numbers.scala`]: `package b\n\n${extension}`,
    };
    expect(await importsOf(`${main}/a/A.scala`, tree)).toEqual({ 'b.half': [`${main}/b/Numbers.scala#half`], a: [] });
  });

  it.each<[string, Record<string, string>]>([
    ['core/src/main/scala/a/A.scala', { 'build.sbt': 'lazy val core = project\n' }],
    ['core/src/main/scala-2.13/a/A.scala', { 'build.sbt': '' }],
    ['core/shared/src/main/scala/a/A.scala', { 'build.sbt': '' }],
    ['modules/core/jvm/src/main/scala-3/a/A.scala', { 'build.sbt': '' }],
    ['x/y/core/src/main/scala/a/A.scala', { 'build.sbt': 'lazy val core = project.in(file("x/y/core"))\n' }],
    ['core/src/a/A.scala', { 'build.mill': '' }],
    ['core/util/src-jvm/a/A.scala', { 'build.sc': '' }],
    ['core/src/main/scala/a/A.scala', { 'pom.xml': '<module>core</module>' }],
    ['core/src/main/scala/a/A.scala', { 'settings.gradle': 'include ":core"\n' }],
    ['app/a/A.scala', { 'build.sbt': '', 'conf/routes': '' }],
    ['core/src/main/scala/A.scala', { 'build.sbt': '' }],
  ])('RT-02 source directories of sbt, Mill, Maven, Gradle and Play: %s', async (path, build) => {
    const tree = {
      ...build,
      [path]: 'package a\n\nclass A\n',
      'web/src/main/scala/b/B.scala': 'package b\n\nimport a.A\n',
    };
    expect(await importsOf('web/src/main/scala/b/B.scala', tree)).toEqual({ 'a.A': [`${path}#A`], b: [] });
  });

  it('RT-02 main sources do not see tests, and builds do not see each other', async () => {
    const tree = {
      'one/build.sbt': '',
      'one/project/build.properties': '',
      'one/src/main/scala/a/A.scala': 'package a\n\nimport a.Spec\nimport b.B\n',
      'one/src/test/scala/a/Spec.scala': 'package a\n\nimport a.A\n\nclass Spec\n',
      'two/build.sbt': '',
      'two/src/main/scala/b/B.scala': 'package b\n\nclass B\n',
    };
    expect(await importsOf('one/src/main/scala/a/A.scala', tree)).toEqual({
      'a.Spec': 'not_found',
      'b.B': 'outside_workspace',
      a: [],
    });
    const spec = { ...tree, 'one/src/main/scala/a/A.scala': 'package a\n\nclass A\n' };
    expect(await importsOf('one/src/test/scala/a/Spec.scala', spec)).toEqual({
      'a.A': ['one/src/main/scala/a/A.scala#A'],
      a: [],
    });
  });

  it('RT-02 scripts of Ammonite and Mill', async () => {
    const tree = {
      'scripts/run.sc': 'import $file.util\nimport $file.^.deps, deps._\n',
      'scripts/util.sc': '',
      'deps.sc': '',
    };
    expect(await importsOf('scripts/run.sc', tree)).toMatchObject({
      '$file.util': ['scripts/util.sc'],
      '$file.^.deps': ['deps.sc'],
    });
  });

  it('RT-02 Java and Kotlin files find Scala types', async () => {
    const tree = {
      'pom.xml': '<project/>',
      'src/main/java/a/A.java': 'package a;\nimport b.Tax;\nclass A extends Base {}\n',
      'src/main/kotlin/a/K.kt': 'package a\n\nimport b.Tax\n\nclass K : Base()\n',
      [`${main}/a/Types.scala`]: 'package a\n\nclass Base\n',
      [`${main}/b/Models.scala`]: 'package b\n\nclass Tax\n',
    };
    const found = { 'b.Tax': [`${main}/b/Models.scala#Tax`], a: [`${main}/a/Types.scala#Base`] };
    expect(await importsOf('src/main/java/a/A.java', tree)).toEqual(found);
    expect(await importsOf('src/main/kotlin/a/K.kt', tree)).toEqual(found);
  });

  it('RT-02 definitions of Scala 2 and 3, without what is private or inside others', async () => {
    const long = '    work()\n'.repeat(25);
    const { definitions, exports } = await parse(
      'scala',
      `package a

/** A cart. */
@deprecated("x", "y")
final case class Cart[A](items: List[A], private val tax: Tax) extends Base with Priced {
  private val hidden = 1
  private[this] val own = 2
  private[a] def half = 3
  /** All. */
  def total(x: Int): Int = {
    val local = 1
${long}  }
  implicit class Rich(s: String) { def trimmed = s }
}
object Cart { implicit val show: Show[Cart] = ??? }
package object util { def helper = 1 }
enum Color(val rgb: Int):
  case Red, Green extends Color(1)
given intOrd: Ord[Int] with
  def compare(x: Int) = 0
extension (s: String)
  def shout: String = s
  def quiet = s
opaque type Id = Long
val p, q = 1
@main def run(args: String*) = println(1)
export b.C.{d, e as f}
export g.*
`,
    );
    expect(definitions.map(({ name }) => name)).toEqual([
      ...['Cart', 'Cart.half', 'Cart.total', 'Cart.Rich', 'Cart.Rich.trimmed', 'Cart', 'Cart.show', 'helper', 'Color'],
      ...['Color.Red', 'Color.Green', 'intOrd', 'shout', 'quiet', 'Id', 'p', 'q', 'run'],
    ]);
    const named = new Map(definitions.map(({ name, text }) => [name, text]));
    expect(definitions[0]?.text).toBe(`/** A cart. */
@deprecated("x", "y")
final case class Cart[A](items: List[A], private val tax: Tax) extends Base with Priced
  private[a] def half =
  def total(x: Int): Int =
  implicit class Rich(s: String)`);
    expect(named.get('Cart.total')).toBe('  /** All. */\n  def total(x: Int): Int =');
    expect(named.get('quiet')).toBe('extension (s: String)\n  def shout: String = s\n  def quiet = s');
    expect(exports?.map(({ name, local, specifier }) => `${name} = ${local} of ${specifier}`)).toEqual([
      ...['d = d of b.C', 'f = e of b.C', '* = * of g'],
    ]);
    const extension = `extension (s: String)\n  def long = {\n${long}  }\n  def short = s\n`;
    const [first, second] = (await parse('scala', extension)).definitions;
    expect(first?.text).toBe('extension (s: String)\n…\n  def long =');
    expect(second?.text).toBe('extension (s: String)\n…\n  def short = s');
  });

  it('RT-02 what a file declares, by indentation', () => {
    const text = `package a
package b

// class No
object C extends D with E {
  def f = {
    def local = 1
  }
  private val g = 1
  object H { val i = 1 }
  val (x, y) = (1, 2)
}
sealed trait J[A]
    extends K[A]
    with L {
  type M = Int
}
extension [A](l: List[A]) def n = 1
x match {
  case O => 1
}
given Ord[Int] = 1
given p: Ord[Int] = 1
package object q {
  def +(r: Int) = 1
}
package s {
  class \`odd name\`
}
`;
    const declared = atOnce(readScalaDeclarations(text)).map((each) => [
      ...[each.package, [...each.plain].join(' '), [...each.extensions.values()].join(' ')],
      (each.parents ?? []).join(' '),
    ]);
    expect(declared.filter(([, ...rest]) => rest.some((each) => each !== ''))).toEqual([
      ['a.b', 'C J p', 'n', ''],
      ['a.b.C', 'f H', '', 'D E'],
      ['a.b.J#', 'M', '', 'K L'],
      ['a.b.q', '+', '', ''],
      ['a.b.s', 'odd name', '', ''],
    ]);
  });
});
