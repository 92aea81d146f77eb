import { describe, expect, it } from 'vitest';
import { atOnce } from '../../../src/pace/turns.ts';
import { readKotlinDeclarations } from '../../../src/retrieval/imports/jvm/kotlin-declared.ts';
import { importsOf } from './support/tree.ts';

describe('Kotlin imports', () => {
  it('RT-02 declarations of packages, whatever their files are called, and members of types', async () => {
    const tree = {
      'build.gradle.kts': '',
      'src/main/kotlin/shop/Cart.kt': `package shop

import shop.price.Tax
import shop.price.Tax.Rate
import shop.price.Tax.Companion.NONE
import shop.price.Level.HIGH
import shop.price.Euro as Money
import shop.price.euros
import shop.price.cents
import shop.price.free
import shop.price.TAX_FREE
import shop.price.Prices
import shop.price.Legacy
import shop.price.Missing
import shop.price.R
import kotlin.math.max
import java.util.UUID
`,
      'src/main/kotlin/shop/price/Tax.kt': 'package shop.price\n\nclass Tax\n',
      'src/main/kotlin/shop/price/Models.kt': `package shop.price

@Serializable data class Euro(val cents: Int)
enum class Level { LOW, HIGH }
internal const val TAX_FREE = 1
typealias Prices = List<Euro>
private class Missing
`,
      'src/main/kotlin/shop/price/IntExtensions.kt':
        'package shop.price\n\nfun Int.euros() = Euro(this)\nval Int.cents get() = this\nval free get() = 0.cents\n',
      'src/main/kotlin/shop/price/ListExtensions.kt': 'package shop.price\n\nfun <T> List<T>.euros() = Euro(1)\n',
      'src/main/java/shop/price/Legacy.java': 'package shop.price;\n',
    };
    expect(await importsOf('src/main/kotlin/shop/Cart.kt', tree)).toEqual({
      shop: [],
      'shop.price.Tax': ['src/main/kotlin/shop/price/Tax.kt#Tax'],
      'shop.price.Tax.Rate': ['src/main/kotlin/shop/price/Tax.kt#Tax.Rate'],
      'shop.price.Tax.Companion.NONE': ['src/main/kotlin/shop/price/Tax.kt#Tax.Companion.NONE'],
      'shop.price.Level.HIGH': ['src/main/kotlin/shop/price/Models.kt#Level.HIGH'],
      'shop.price.Euro': ['src/main/kotlin/shop/price/Models.kt#Euro'],
      'shop.price.euros': [
        'src/main/kotlin/shop/price/IntExtensions.kt#euros',
        'src/main/kotlin/shop/price/ListExtensions.kt#euros',
      ],
      'shop.price.cents': ['src/main/kotlin/shop/price/IntExtensions.kt#cents'],
      'shop.price.free': ['src/main/kotlin/shop/price/IntExtensions.kt#free'],
      'shop.price.TAX_FREE': ['src/main/kotlin/shop/price/Models.kt#TAX_FREE'],
      'shop.price.Prices': ['src/main/kotlin/shop/price/Models.kt#Prices'],
      'shop.price.Legacy': ['src/main/java/shop/price/Legacy.java#Legacy'],
      'shop.price.Missing': 'not_found',
      'shop.price.R': 'outside_workspace',
      'kotlin.math.max': 'outside_workspace',
      'java.util.UUID': 'outside_workspace',
    });
  });

  it('RT-02 what a file uses of its own package and of imported ones, but not what it declares itself', async () => {
    const tree = {
      'build.gradle.kts': '',
      'src/main/kotlin/shop/Cart.kt': `package shop

import shop.money.*
import shop.money.Sort.*
import other.Line as Row

class Cart(val tax: Tax, val owner: Owner) : Base() {
  fun total(rate: Int) = lines.sumUp(rate) + tax.of(rate).cents + discount() and LIMIT
  fun row(): Row = Row(listOf<Yen>(), ::check)
}
`,
      'src/main/kotlin/shop/Base.kt': 'package shop\n\nopen class Base\n\nclass Tax\n\nclass Unused\n\nclass Row\n',
      'src/main/kotlin/shop/Helpers.kt': `package shop

fun List<Line>.sumUp(rate: Int) = 1
fun of() = 1
fun rate() = 1
fun total() = 1
const val LIMIT = 1
private fun discount() = 1
fun check() = 1
`,
      'src/main/java/shop/Owner.java': 'package shop;\n',
      'src/main/kotlin/shop/money/Yen.kt': 'package shop.money\n\nclass Yen\n\nclass Tax\n\nfun discount() = 1\n',
      'src/main/kotlin/shop/money/Sort.kt': 'package shop.money\n\nenum class Sort { UP, DOWN }\n',
    };
    expect(await importsOf('src/main/kotlin/shop/Cart.kt', tree)).toEqual({
      'other.Line': 'outside_workspace',
      shop: [
        'src/main/kotlin/shop/Base.kt#Tax,Base',
        'src/main/java/shop/Owner.java#Owner',
        'src/main/kotlin/shop/Helpers.kt#LIMIT,check,sumUp',
      ],
      'shop.money': ['src/main/kotlin/shop/money/Yen.kt#discount,Yen'],
      'shop.money.Sort': ['src/main/kotlin/shop/money/Sort.kt#Sort'],
    });
  });

  it('RT-02 Java files find types, members and functions of Kotlin files', async () => {
    const tree = {
      'pom.xml': '<project/>',
      'src/main/java/shop/Cart.java':
        'package shop;\nimport shop.price.Tax;\nimport shop.price.Euro;\nimport static shop.price.Tax.of;\nimport shop.price.MoneyKt;\nimport static shop.price.MoneyKt.round;\nimport shop.price.Texts;\nimport shop.price.Gone;\nimport shop.price.*;\nclass Cart extends Base { Yen y; }\n',
      'src/main/kotlin/shop/Types.kt': 'package shop\n\nopen class Base\n',
      'src/main/kotlin/shop/price/Tax.kt': 'package shop.price\n\nclass Tax\n',
      'src/main/kotlin/shop/price/StringExtensions.kt': '@file:JvmName("Texts")\n\npackage shop.price\n',
      'src/main/kotlin/shop/price/Money.kt': 'package shop.price\n\nclass Euro\n\nclass Yen\n\nfun round() = 1\n',
    };
    const money = 'src/main/kotlin/shop/price/Money.kt';
    expect(await importsOf('src/main/java/shop/Cart.java', tree)).toEqual({
      shop: ['src/main/kotlin/shop/Types.kt#Base'],
      'shop.price.Tax': ['src/main/kotlin/shop/price/Tax.kt#Tax'],
      'shop.price.Euro': [`${money}#Euro`],
      'shop.price.Tax{of}': ['src/main/kotlin/shop/price/Tax.kt#Tax.of,Tax.Companion.of'],
      'shop.price.MoneyKt': [money],
      'shop.price.MoneyKt{round}': [`${money}#round`],
      'shop.price.Texts': ['src/main/kotlin/shop/price/StringExtensions.kt'],
      'shop.price.Gone': 'not_found',
      'shop.price': [`${money}#Yen`],
    });
  });

  it('RT-02 source sets of several platforms, with directories that leave out the beginning of the package', async () => {
    const tree = {
      'settings.gradle.kts': 'include(":core", ":app")\n',
      'core/build.gradle.kts': '',
      'core/src/commonMain/kotlin/Platform.kt': 'package org.shop\n\nexpect class Platform\n\nfun start() = 1\n',
      'core/src/commonMain/kotlin/flow/Flows.kt': 'package org.shop.flow\n\nfun flowOf() = 1\n',
      'core/src/jvmMain/kotlin/Platform.jvm.kt': 'package org.shop\n\nactual class Platform\n',
      'core/src/jvmTest/kotlin/flow/Use.kt':
        'package org.shop.flow\n\nimport org.shop.Platform\nimport org.shop.start\n\nfun use() = flowOf()\n',
      'app/build.gradle.kts': '',
      'app/src/main/java/org/app/Main.kt': 'package org.app\n\nimport org.shop.flow.flowOf\n\nfun main() = flowOf()\n',
    };
    expect(await importsOf('core/src/jvmTest/kotlin/flow/Use.kt', tree)).toEqual({
      'org.shop.Platform': ['core/src/commonMain/kotlin/Platform.kt#Platform'],
      'org.shop.start': ['core/src/commonMain/kotlin/Platform.kt#start'],
      'org.shop.flow': ['core/src/commonMain/kotlin/flow/Flows.kt#flowOf'],
    });
    expect(await importsOf('app/src/main/java/org/app/Main.kt', tree)).toEqual({
      'org.shop.flow.flowOf': ['core/src/commonMain/kotlin/flow/Flows.kt#flowOf'],
      'org.app': [],
    });
  });

  it.each<Record<string, string>>([
    { 'settings.gradle': "includeBuild('libs') {\n}\n", 'libs/settings.gradle': "include ':price'\n" },
    { 'settings.gradle.kts': 'projects {\n  +"price"\n}\n' },
  ])('RT-02 modules of included builds, and of settings with functions of their own: %j', async (build) => {
    const tree = {
      ...build,
      'app/build.gradle': '',
      'app/src/main/kotlin/Main.kt': 'import price.Tax\n\nfun main() = helper()\n',
      'app/src/main/kotlin/Helper.kt': 'fun helper() = 1\n',
      'libs/price/src/main/kotlin/price/Taxes.kt': 'package price\n\nclass Tax\n',
    };
    expect(await importsOf('app/src/main/kotlin/Main.kt', tree)).toEqual({
      'price.Tax': ['libs/price/src/main/kotlin/price/Taxes.kt#Tax'],
      '': ['app/src/main/kotlin/Helper.kt#helper'],
    });
  });

  it('RT-02 what a file declares, by the lines that begin at the margin', () => {
    const text = `\uFEFF@file:JvmName("X")
package a.\`in\`.b;

import c.d

@Suppress("a(b", "c") @Foo public data class A(val x: Int)
fun interface B
inline fun <reified T : Comparable<T>, R> Map<String, List<T>>.c(f: (T) -> R) = 1
fun (suspend () -> Unit).d() {
  val local = 1
}
fun A.Companion.e() = 1
public inline infix fun <reified T : Comparable<T>, R>
  Map<String, List<T>>.n(f: (T) -> R) = 1
inline fun <
  T,
  R,
> o(f: (T) -> R) = 1
val <T> List<T>?.f: Int
var g by lazy { 1 }
fun \`odd name\`() = 1
private fun hidden() = 1
typealias H<T> = List<T>
val i = 1
fun <T> j
object K
// class L
value class M
return class N
`;
    const [declared] = atOnce(readKotlinDeclarations(text));
    expect(declared?.package).toBe('a.in.b');
    expect([...(declared?.plain ?? [])]).toEqual(['A', 'B', 'o', 'g', 'odd name', 'H', 'i', 'j', 'K', 'M']);
    expect([...(declared?.extensions.keys() ?? [])]).toEqual(['c', 'd', 'e', 'n', 'f']);
  });
});
