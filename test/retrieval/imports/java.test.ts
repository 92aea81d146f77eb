import { describe, expect, it } from 'vitest';
import { importsOf } from './support/tree.ts';

describe('Java imports', () => {
  it('RT-02 types, types inside types, members, whole packages, the own package', async () => {
    const tree = {
      'pom.xml': '<project/>',
      'src/main/java/shop/Cart.java':
        'package shop;\nimport shop.price.Tax;\nimport shop.price.Tax.Rate;\nimport static shop.price.Tax.of;\nimport static shop.price.Tax.*;\nimport shop.money.*;\nimport java.util.List;\nimport shop.price.Missing;\nclass Cart extends Base { Euro e = Tax.of(); Line l; List<Yen> y; Other o; }\n',
      'src/main/java/shop/Base.java': 'package shop;\n',
      'src/main/java/shop/Line.java': 'package shop;\n',
      'src/main/java/shop/Unused.java': 'package shop;\n',
      'src/main/java/shop/price/Tax.java': 'package shop.price;\n',
      'src/main/java/shop/money/Euro.java': 'package shop.money;\n',
      'src/main/java/shop/money/Yen.java': 'package shop.money;\n',
      'src/main/java/shop/money/Zloty.java': 'package shop.money;\n',
    };
    expect(await importsOf('src/main/java/shop/Cart.java', tree)).toEqual({
      shop: ['src/main/java/shop/Base.java#Base', 'src/main/java/shop/Line.java#Line'],
      'shop.price.Tax': ['src/main/java/shop/price/Tax.java#Tax'],
      'shop.price.Tax.Rate': ['src/main/java/shop/price/Tax.java#Tax.Rate'],
      'shop.price.Tax{of}': ['src/main/java/shop/price/Tax.java#Tax.of'],
      'shop.price.Tax{*}': ['src/main/java/shop/price/Tax.java#Tax'],
      'shop.money': ['src/main/java/shop/money/Euro.java#Euro', 'src/main/java/shop/money/Yen.java#Yen'],
      'java.util.List': 'outside_workspace',
      'shop.price.Missing': 'not_found',
    });
  });

  it.each<Record<string, string>>([
    {
      'pom.xml': '<modules><!-- <module>other/old</module> --><module>core</module><module>deep/web</module></modules>',
      'deep/web/pom.xml': '',
      'other/old/src/main/java/a/Core.java': 'package a;\n',
    },
    { 'settings.gradle.kts': 'include(":core", ":deep:web")\n', 'deep/web/build.gradle.kts': '' },
    { 'settings.gradle': "include 'core',\n  'deep:web'\n", 'deep/web/build.gradle': '' },
  ])('RT-02 modules of a project, main before test: %j', async (build) => {
    const tree = {
      ...build,
      'core/src/main/java/a/Core.java': 'package a;\n',
      'core/src/test/java/a/Core.java': 'package a;\n',
      'core/src/testFixtures/java/a/Fixture.java': 'package a;\nimport b.Web;\n',
      'deep/web/src/test/java/b/WebTest.java':
        'package b;\nimport a.Core;\nimport a.Fixture;\nclass WebTest { Web web; }\n',
      'deep/web/src/main/java/b/Web.java': 'package b;\n',
    };
    expect(await importsOf('deep/web/src/test/java/b/WebTest.java', tree)).toEqual({
      b: ['deep/web/src/main/java/b/Web.java#Web'],
      'a.Core': ['core/src/main/java/a/Core.java#Core'],
      'a.Fixture': ['core/src/testFixtures/java/a/Fixture.java#Fixture'],
    });
    expect(await importsOf('core/src/testFixtures/java/a/Fixture.java', tree)).toEqual({
      a: [],
      'b.Web': ['deep/web/src/main/java/b/Web.java#Web'],
    });
  });

  it.each(['java', 'kt'])('RT-02 only tests see tests: %s', async (ending) => {
    const code = `package shop;\nimport shop.test.Fake;\nclass A { Helper helper; Fake fake; }\n`;
    const tree = {
      'pom.xml': '',
      [`src/main/java/shop/A.${ending}`]: code,
      [`src/test/java/shop/ATest.${ending}`]: code,
      [`src/test/java/shop/Helper.${ending}`]: 'package shop;\nclass Helper { }\n',
      [`src/test/java/shop/test/Fake.${ending}`]: 'package shop.test;\nclass Fake { }\n',
    };
    expect(await importsOf(`src/main/java/shop/A.${ending}`, tree)).toEqual({
      shop: [],
      'shop.test.Fake': 'outside_workspace',
    });
    expect(await importsOf(`src/test/java/shop/ATest.${ending}`, tree)).toMatchObject({
      'shop.test.Fake': [`src/test/java/shop/test/Fake.${ending}#Fake`],
    });
  });

  it('RT-02 modules of Maven in modules that only hold others', async () => {
    const tree = {
      'pom.xml': '<modules><module>apps</module><module>libs</module></modules>',
      'apps/pom.xml': '<modules><module>web</module></modules>',
      'apps/web/pom.xml': '',
      'apps/web/src/main/java/web/A.java': 'package web;\nimport money.Price;\n',
      'libs/pom.xml': '<modules><module>base</module><module>../libs</module></modules>',
      'libs/base/pom.xml': '<modules><module>money</module></modules>',
      'libs/base/money/pom.xml': '',
      'libs/base/money/src/main/java/money/Price.java': 'package money;\n',
    };
    expect(await importsOf('apps/web/src/main/java/web/A.java', tree)).toEqual({
      web: [],
      'money.Price': ['libs/base/money/src/main/java/money/Price.java#Price'],
    });
  });

  it('RT-02 members that a class has from those above it', async () => {
    const tree = {
      'src/main/java/a/Use.java':
        'package a;\nimport static b.Low.own;\nimport static b.Low.far;\nimport static b.Low.none;\n',
      'src/main/java/b/Low.java':
        'package b;\n/** far: class Odd extends Nothing */\npublic class Low extends Mid { void own() {} }\n',
      'src/main/java/b/Mid.java': 'package b;\nimport c.Top;\nclass Mid<T> extends Top {}\n',
      'src/main/java/c/Top.java': 'package c;\npublic class Top extends Low { static void far() {} }\n',
    };
    expect(await importsOf('src/main/java/a/Use.java', tree)).toEqual({
      a: [],
      'b.Low': ['src/main/java/b/Low.java#Low.own'],
      'b.Low{far}': ['src/main/java/c/Top.java#Top.far'],
      'b.Low{none}': ['src/main/java/b/Low.java#Low.none'],
    });
  });

  it('RT-02 sources anywhere, by the package that a file declares', async () => {
    const tree = {
      'odd/place/a/b/One.java': 'package a.b;\nimport a.Two;\nimport Top;\n',
      'odd/place/a/Two.java': 'package a;\n',
      'odd/place/Top.java': '',
    };
    expect(await importsOf('odd/place/a/b/One.java', tree)).toEqual({
      'a.b': [],
      'a.Two': ['odd/place/a/Two.java#Two'],
      Top: ['odd/place/Top.java#Top'],
    });
  });
});
