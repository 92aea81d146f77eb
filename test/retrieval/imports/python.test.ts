import { describe, expect, it } from 'vitest';
import { importsOf } from './support/tree.ts';

describe('Python imports', () => {
  it('RT-02 absolute imports of the project a file lies in, from its top and from src', async () => {
    const tree = {
      'src/shop/__init__.py': '',
      'src/shop/cart.py': 'import shop.price\nfrom shop.price import tax, Total\nimport os\nfrom requests import get\n',
      'src/shop/price.py': 'def tax(): ...\nclass Total: ...\n',
      'tests/test_cart.py': 'import shop.cart as c\nfrom tests import factory\nc.add()\n',
      'tests/__init__.py': '',
      'tests/factory.py': '',
    };
    expect(await importsOf('src/shop/cart.py', tree)).toEqual({
      'shop.price': ['src/shop/price.py'],
      'shop.price{tax,Total}': ['src/shop/price.py#tax,Total'],
      os: 'outside_workspace',
      requests: 'outside_workspace',
    });
    expect(await importsOf('tests/test_cart.py', tree)).toEqual({
      'shop.cart': ['src/shop/cart.py#add'],
      tests: ['tests/factory.py'],
    });
  });

  it('RT-02 relative imports: one dot is the own package, each further dot the one above', async () => {
    const tree = {
      'a/__init__.py': 'from .b import c\n',
      'a/b/__init__.py': '',
      'a/b/c.py':
        'from . import d\nfrom .d import e as f\nfrom .. import top\nfrom ..top import x\nfrom .... import far\n',
      'a/b/d.py': '',
      'a/top.py': '',
    };
    expect(await importsOf('a/b/c.py', tree)).toEqual({
      '.': ['a/b/d.py'],
      '.d': ['a/b/d.py#e'],
      '..': ['a/top.py'],
      '..top': ['a/top.py#x'],
      '....': 'not_found',
    });
    expect(await importsOf('a/__init__.py', tree)).toEqual({ '.b': ['a/b/c.py'] });
  });

  it('RT-02 a name that is a submodule is the submodule, another one the package’s own', async () => {
    const tree = {
      'pkg/__init__.py': 'from .core import make\n',
      'pkg/core.py': '',
      'pkg/sub/__init__.py': '',
      'main.py': 'from pkg import core, sub, make\nimport pkg\npkg.core.run()\npkg.make()\n',
    };
    expect(await importsOf('main.py', tree)).toEqual({
      pkg: ['pkg/core.py', 'pkg/sub/__init__.py', 'pkg/__init__.py#make'],
      'pkg{core,make}': ['pkg/core.py#run', 'pkg/__init__.py#make'],
    });
  });

  it('RT-02 quoted annotations use what they name', async () => {
    const tree = {
      'shop/__init__.py': '',
      'shop/models.py': 'class User: ...\nclass Order: ...\nclass Cart: ...\nclass Item: ...\n',
      'shop/views.py': [
        'from typing import TYPE_CHECKING',
        'if TYPE_CHECKING:',
        '    from shop import models as m',
        'def show(user: "m.User", order: "list[m.Order] | None" = None) -> Optional["m.Cart"]: ...',
        'text = "m.Item"',
      ].join('\n'),
    };
    expect(await importsOf('shop/views.py', tree)).toMatchObject({ shop: ['shop/models.py#User,Order,Cart'] });
  });

  it('RT-02 the documentation of a package hides no module', async () => {
    const tree = {
      'shop/__init__.py':
        '"""A shop.\n\ncart: what a customer wants\nprices = in cents\n"""\n# """\nX = \'\'\'a\'\'\'\ndef tax(): ...\n',
      'shop/cart.py': '',
      'shop/prices.py': '',
      'shop/tax.py': '',
      'main.py': 'from shop import cart, prices, tax\n',
    };
    expect(await importsOf('main.py', tree)).toEqual({
      shop: ['shop/cart.py', 'shop/prices.py', 'shop/__init__.py#tax'],
    });
  });

  it('RT-02 what a package calls like one of its modules is no module', async () => {
    const names = ['cart', 'total', 'tax', 'items', 'shop', 'price', 'stock', 'near'];
    const tree = {
      ...Object.fromEntries(names.map((name) => [`shop/${name}.py`, ''])),
      'shop/__init__.py':
        'from .cart import cart, other\nfrom .shop import shop\nfrom .total import (\n    x as total,  # sum\n)\ntax = 1\ndef items(): ...\nfrom . import price\nfrom shop import stock as stock\nif x:\n    near = 1\n',
      'main.py': `from shop import ${names.join(', ')}\n`,
    };
    expect(await importsOf('main.py', tree)).toEqual({
      shop: ['shop/__init__.py#cart,total,tax,items,shop', 'shop/price.py', 'shop/stock.py', 'shop/near.py'],
    });
  });

  it('RT-02 of a module that is imported by name, what is used of it', async () => {
    const tree = {
      'app/__init__.py': '',
      'app/crud.py': 'def get_user(): ...\n',
      'app/text.py': '',
      'db/__init__.py': '',
      'db/models/__init__.py': 'from .user import User\n',
      'main.py':
        'from app import crud, text\nfrom db import models as m\nimport app as a\ncrud.get_user(m.User.id)\na.crud.remove()\nuse(text)\n',
    };
    expect(await importsOf('main.py', tree)).toEqual({
      app: ['app/crud.py#get_user', 'app/text.py'],
      db: ['db/models/__init__.py#User'],
      'app{crud}': ['app/__init__.py', 'app/crud.py#remove'],
    });
  });

  it('RT-02 a module in a package does not hide one of the same name outside', async () => {
    const tree = {
      'shop/__init__.py': '',
      'shop/json.py': '',
      'shop/cart.py': 'import json\nimport shop.missing\nfrom shop.cart import me\n',
    };
    expect(await importsOf('shop/cart.py', tree)).toEqual({
      json: 'outside_workspace',
      'shop.missing': 'not_found',
      'shop.cart': ['shop/cart.py#me'],
    });
  });

  it('RT-02 the directory of a project, also where it is a package', async () => {
    const tree = {
      'enterprise/pyproject.toml': '[tool.poetry]\npackages = [\n  { include = "server" },\n]\n',
      'enterprise/__init__.py': '',
      'enterprise/server/__init__.py': '',
      'enterprise/server/types.py': '',
      'enterprise/server/config.py': 'def load():\n    pass\n',
      'enterprise/server/app.py': 'from server.config import load\nimport types\n',
    };
    expect(await importsOf('enterprise/server/app.py', tree)).toEqual({
      'server.config': ['enterprise/server/config.py#load'],
      types: 'outside_workspace',
    });
  });

  it('RT-02 packages without __init__.py, and stubs only where there is no source', async () => {
    const tree = {
      'space/inner/one.py': '',
      'stubbed.pyi': '',
      'both.pyi': '',
      'both.py': '',
      'main.py': 'from space.inner import one\nimport space.inner.one\nimport stubbed\nimport both\nimport space\n',
    };
    expect(await importsOf('main.py', tree)).toEqual({
      'space.inner': ['space/inner/one.py'],
      'space.inner.one': ['space/inner/one.py'],
      stubbed: ['stubbed.pyi'],
      both: ['both.py'],
      space: 'outside_workspace',
    });
  });

  it.each([
    ['pyproject.toml', '[tool.setuptools.packages.find]\nwhere = ["lib/py"]\n'],
    ['pyproject.toml', '[tool.setuptools]\npackage-dir = { "" = "lib/py" }\n'],
    ['pyproject.toml', '[tool.poetry]\npackages = [{ include = "shop", from = "lib/py" }]\n'],
    ['pyproject.toml', '[tool.hatch.build.targets.wheel]\npackages = ["lib/py/shop"]\n'],
    ['pyproject.toml', '[tool.pytest.ini_options]\npythonpath = ["lib/py"]\n'],
    ['setup.cfg', '[options]\npackage_dir =\n    = lib/py\n'],
    ['setup.cfg', '[options.packages.find]\nwhere = lib/py\n'],
    ['setup.py', 'setup(package_dir={"": "lib/py"})\n'],
    ['setup.py', 'setup(packages=find_packages("lib/py"))\n'],
  ])('RT-02 where a project says that its packages lie: %s %j', async (name, text) => {
    const tree = { [name]: text, 'lib/py/shop/__init__.py': '', 'tools/run.py': 'import shop\n' };
    expect(await importsOf('tools/run.py', tree)).toEqual({ shop: ['lib/py/shop/__init__.py'] });
  });

  it('RT-02 other projects of the same workspace', async () => {
    const tree = {
      'packages/one/src/one/__init__.py': '',
      'packages/two/src/two/main.py': 'import one\n',
      'service/api/__init__.py': '',
      'tool/run.py': 'from api import app\n',
    };
    expect(await importsOf('packages/two/src/two/main.py', tree)).toEqual({
      one: ['packages/one/src/one/__init__.py'],
    });
    expect(await importsOf('tool/run.py', tree)).toEqual({ api: ['service/api/__init__.py#app'] });
  });

  it('RT-02 imports in functions, under conditions, of everything, over several lines; CRLF and BOM', async () => {
    const tree = {
      'm.py': '',
      'main.py':
        '\uFEFFif TYPE_CHECKING:\r\n    from m import (\r\n        A,\r\n        B as b,  # why\r\n    )\r\ndef f():\r\n    from m import *\r\n    import m as other; other.go()\r\n',
    };
    expect(await importsOf('main.py', tree)).toEqual({ m: ['m.py#A,B'], 'm{*}': ['m.py'], 'm{go}': ['m.py#go'] });
  });

  it('RT-02 the fixtures that a test takes as parameters, from the nearest conftest.py', async () => {
    const text =
      'async def test_cart(client: Client, user, request, own, cart, db, self=None): ...\n\ndef own(money): ...\n';
    const fixture = '@pytest.fixture\n';
    const tree = {
      'conftest.py': `${fixture}def client(): ...\n@fixture(scope="session")\n@other\ndef user(): return make(name="cart")\n# a fixture:\ndef request(): ...\n${fixture}def own(): ...\n@pytest.fixture(\n  name="money",\n)\ndef money_fixture(): ...\n@pytest.mark.usefixtures("db")\nclass Base:\n  pass\ndef cart(): ...\ncall(name="x")\n${fixture}def db(): ...\n`,
      'tests/conftest.py': `${fixture}async def client(user): ...\ndef request_factory(request): ...\n`,
      'tests/api/test_cart.py': text,
      'tests/api/cart_test.py': text,
      'tests/api/cart.py': text,
    };
    const fixtures = { conftest: ['tests/conftest.py#client', 'conftest.py#user,db,money_fixture'] };
    expect(await importsOf('tests/api/test_cart.py', tree)).toEqual(fixtures);
    expect(await importsOf('tests/api/cart_test.py', tree)).toEqual(fixtures);
    expect(await importsOf('tests/api/cart.py', tree)).toEqual({ conftest: [] });
    expect(await importsOf('tests/conftest.py', tree)).toEqual({ conftest: ['conftest.py#user'] });
  });

  it('RT-02 fixtures of what a conftest.py imports, and of its plugins', async () => {
    const fixture = (name: string): string => `@pytest.fixture\ndef ${name}(): ...\n`;
    const tree = {
      'conftest.py': 'pytest_plugins = [\n  "tests.plugins.money",  # of the shop\n  "pytest_other",\n]\n',
      'tests/__init__.py': '',
      'tests/plugins/money.py': `from .euro import *\n${fixture('money')}`,
      'tests/plugins/euro.py': `from .money import *\n${fixture('euro')}`,
      'tests/conftest.py':
        'from .users import (\n  guest,\n  user,\n)\nfrom .carts import cart, full as full_cart\nfrom .orders import order\n',
      'tests/users.py': fixture('user') + fixture('other'),
      'tests/carts.py': `${fixture('cart')}def full(): ...\n`,
      'tests/orders.py': fixture('late'),
      'tests/one/conftest.py': 'pytest_plugins = "tests.one.late"\n',
      'tests/one/late.py': fixture('late'),
      'tests/one/test_cart.py': 'def test_cart(user, cart, money, euro, late, order, tmp_path): ...\n',
    };
    expect(await importsOf('tests/one/test_cart.py', tree)).toEqual({
      conftest: [
        'tests/one/late.py#late',
        'tests/users.py#user',
        'tests/carts.py#cart',
        'tests/plugins/money.py#money',
        'tests/plugins/euro.py#euro',
      ],
    });
  });
});
