import { describe, expect, it } from 'vitest';
import { importsOf } from './support/tree.ts';

describe('Elixir modules', () => {
  it('RT-02 what a file uses of modules, by their full names, by alias, and of their structs', async () => {
    const tree = {
      'mix.exs': '',
      'lib/shop/orders.ex': `defmodule Shop.Orders do
  alias Shop.Orders.{Order, Line}
  alias Shop.Repo, as: Store
  alias Shop.Gone
  alias __MODULE__.Tax
  require Logger

  def get(id), do: Order |> Store.get(id) |> Line.total() |> Shop.Mail.send_order(%Order{}, Tax)
  defdelegate pay(order), to: Shop.Payments
  def html, do: :gen_server.call(Enum.map(Shop.HTMLPage.title()))
end
`,
      'lib/shop/orders/order.ex':
        'defmodule Shop.Orders.Order do\n  schema "orders" do\n  end\n  def new, do: 1\nend\n',
      'lib/shop/orders/line.ex':
        'defmodule Shop.Orders.Line do\n  @doc """\n  def other\n  """\n  def total(line), do: line\nend\n',
      'lib/shop/orders/tax.ex': 'defmodule Shop.Orders.Tax do\n  def rate, do: 1\nend\n',
      'lib/shop/repo.ex': 'defmodule Shop.Repo do\n  use Ecto.Repo\nend\n',
      'lib/shop/mail.ex': 'defmodule Shop.Mail do\n  def send_order(a, b), do: {a, b}\nend\n',
      'lib/shop/payments.ex': 'defmodule Shop.Payments do\n  def pay(order), do: order\nend\n',
      'lib/shop/html_page.ex': 'defmodule Shop.HTMLPage do\n  def title, do: ""\nend\n',
    };
    expect(await importsOf('lib/shop/orders.ex', tree)).toEqual({
      'Shop.Orders.Order': ['lib/shop/orders/order.ex#Shop.Orders.Order.__struct__'],
      'Shop.Orders.Line': ['lib/shop/orders/line.ex#Shop.Orders.Line.total'],
      'Shop.Repo': ['lib/shop/repo.ex#Shop.Repo'],
      'Shop.Gone': 'not_found',
      'Shop.Orders.Tax': ['lib/shop/orders/tax.ex#Shop.Orders.Tax'],
      Logger: 'outside_workspace',
      '': [
        'lib/shop/mail.ex#Shop.Mail.send_order',
        'lib/shop/payments.ex#Shop.Payments.pay',
        'lib/shop/html_page.ex#Shop.HTMLPage.title',
      ],
      '{Shop.Orders}': [],
    });
  });

  it('RT-02 Phoenix: what use and its imports and aliases give, also in templates', async () => {
    const tree = {
      'mix.exs': '',
      'lib/shop_web/controllers/cart_controller.ex': `defmodule ShopWeb.CartController do
  use ShopWeb, :controller
  import ShopWeb.Helpers, only: [money: 1]

  def show(conn, _), do: render(conn, total: money(Carts.total(1)))
  def card(assigns), do: ~H"<.button>{ShopWeb.Format.name(@a)}</.button><Layouts.app />"
end
`,
      'lib/shop_web/web.ex': `defmodule ShopWeb do
  def controller do
    quote do
      use Phoenix.Controller
      use Shop.Shared
      import ShopWeb.CoreComponents
      alias ShopWeb.{
        Layouts,
        Router
      }
    end
  end

  defmacro __using__(which), do: apply(__MODULE__, which, [])
end
`,
      'lib/shop/shared.ex':
        'defmodule Shop.Shared do\n  defmacro __using__(_) do\n    quote do\n      alias Shop.{Carts, Layouts}\n      def inner, do: 1\n    end\n  end\nend\n',
      'lib/shop/layouts.ex': 'defmodule Shop.Layouts do\n  def app(a), do: a\nend\n',
      'lib/shop/carts.ex': 'defmodule Shop.Carts do\n  def total(cart), do: cart\nend\n',
      'lib/shop_web/views/helpers.ex': 'defmodule ShopWeb.Helpers do\n  def money(a), do: a\nend\n',
      'lib/shop_web/components/core_components.ex':
        'defmodule ShopWeb.CoreComponents do\n  import ShopWeb.Inner\n  def button(assigns), do: assigns\n  def icon(assigns), do: assigns\nend\n',
      'lib/shop_web/components/layouts.ex': 'defmodule ShopWeb.Layouts do\n  def app(assigns), do: assigns\nend\n',
      'lib/shop_web/inner.ex': 'defmodule ShopWeb.Inner do\n  def render(a), do: a\nend\n',
      'lib/shop_web/format.ex': 'defmodule ShopWeb.Format do\n  def name(a), do: a\nend\n',
    };
    expect(await importsOf('lib/shop_web/controllers/cart_controller.ex', tree)).toEqual({
      ShopWeb: ['lib/shop_web/web.ex#ShopWeb.__using__,ShopWeb.controller'],
      'ShopWeb.Helpers': ['lib/shop_web/views/helpers.ex#ShopWeb.Helpers.money'],
      '': [
        'lib/shop/carts.ex#Shop.Carts.total',
        'lib/shop_web/format.ex#ShopWeb.Format.name',
        'lib/shop_web/components/layouts.ex#ShopWeb.Layouts.app',
      ],
      '{ShopWeb.CartController}': ['lib/shop_web/components/core_components.ex#ShopWeb.CoreComponents.button'],
    });
  });

  it('RT-02 of two use with the same alias, the later one counts, and before what these use', async () => {
    const using = (name: string, ...lines: string[]): string =>
      `defmodule ${name} do\n  defmacro __using__(_) do\n    quote do\n${lines.map((line) => `      ${line}\n`).join('')}    end\n  end\nend\n`;
    const cart = (name: string): string => `defmodule ${name}.Cart do\n  def total(a), do: a\nend\n`;
    const tree = {
      'mix.exs': '',
      'lib/shop/main.ex':
        'defmodule Shop.Main do\n  use Shop.First\n  use Shop.Second\n\n  def run, do: Cart.total(1)\nend\n',
      'lib/shop/first.ex': using('Shop.First', 'alias Shop.Old.Cart'),
      'lib/shop/second.ex': using('Shop.Second', 'use Shop.Third', 'alias Shop.New.Cart'),
      'lib/shop/third.ex': using('Shop.Third', 'alias Shop.Inner.Cart'),
      'lib/shop/old/cart.ex': cart('Shop.Old'),
      'lib/shop/new/cart.ex': cart('Shop.New'),
      'lib/shop/inner/cart.ex': cart('Shop.Inner'),
    };
    expect(await importsOf('lib/shop/main.ex', tree)).toMatchObject({
      '': ['lib/shop/new/cart.ex#Shop.New.Cart.total'],
    });
  });

  it('RT-02 modules inside others, and in files that other modules are named after', async () => {
    const tree = {
      'mix.exs': '',
      'lib/shop/a.ex':
        'defmodule Shop.A do\n  def f, do: Shop.Cart.Line.new(Shop.Price.Error.new(), Shop.A.B.c())\n  defmodule B do\n    def c, do: 1\n  end\nend\n',
      'lib/shop/cart.ex':
        'defmodule Shop.Cart do\n  defmodule Line do\n    def new, do: 1\n  end\n\n  def new, do: 2\nend\n',
      'lib/shop/price/errors.ex':
        'defmodule Shop.Price.Error do\n  alias __MODULE__.Code\n  defmodule Code do\n  end\n\n  def new, do: %Code{}\nend\n',
      'lib/other/line.ex': 'defmodule Other.Line do\n  def new, do: 1\nend\n',
    };
    expect(await importsOf('lib/shop/a.ex', tree)).toEqual({
      '': [
        'lib/shop/cart.ex#Shop.Cart.Line.new',
        'lib/shop/price/errors.ex#Shop.Price.Error.new',
        'lib/shop/a.ex#Shop.A.B.c',
      ],
      '{Shop.A,B,Shop.A.B}': [],
    });
    expect(await importsOf('lib/shop/price/errors.ex', tree)).toMatchObject({ 'Shop.Price.Error.Code': [] });
  });

  it('RT-02 tests see what helps them; apps of an umbrella and dependencies with a path are seen', async () => {
    const tree = {
      'mix.exs': 'apps_path: "apps"\n',
      'apps/web/mix.exs':
        'elixirc_paths: elixirc_paths(Mix.env())\ndefp elixirc_paths(:test), do: ["lib", "spec/test/more"]\ndeps: [{:kit, path: "../../kit"}]\n',
      'apps/web/lib/web/page.ex':
        'defmodule Web.Page do\n  def f, do: Core.Cart.new(Kit.Price.new(), Web.Factory.make(), More.one())\nend\n',
      'apps/web/test/page_test.exs':
        'defmodule Web.PageTest do\n  use Web.DataCase\n  test "a" do\n    insert(:cart)\n    Web.Page.f(More.one(), Start.up())\n  end\nend\n',
      'apps/web/test/support/data_case.ex':
        'defmodule Web.DataCase do\n  use ExUnit.CaseTemplate\n  using do\n    quote do\n      import Web.Factory\n    end\n  end\nend\n',
      'apps/web/test/support/factory.ex':
        'defmodule Web.Factory do\n  def make, do: 1\n  def cart_factory, do: 1\nend\n',
      'apps/web/test/test_helper.exs': 'defmodule Start do\n  def up, do: 1\nend\n',
      'apps/web/spec/test/more/more.ex': 'defmodule More do\n  def one, do: 1\nend\n',
      'apps/core/mix.exs': '',
      'apps/core/lib/core/cart.ex': 'defmodule Core.Cart do\n  def new, do: 1\nend\n',
      'kit/mix.exs': '',
      'kit/lib/kit/price.ex': 'defmodule Kit.Price do\n  def new, do: 1\nend\n',
    };
    expect(await importsOf('apps/web/lib/web/page.ex', tree)).toEqual({
      '': ['apps/core/lib/core/cart.ex#Core.Cart.new', 'kit/lib/kit/price.ex#Kit.Price.new'],
      '{Web.Page}': [],
    });
    expect(await importsOf('apps/web/test/page_test.exs', tree)).toEqual({
      'Web.DataCase': ['apps/web/test/support/data_case.ex#Web.DataCase.__using__'],
      '': [
        'apps/web/lib/web/page.ex#Web.Page.f',
        'apps/web/spec/test/more/more.ex#More.one',
        'apps/web/test/test_helper.exs#Start.up',
      ],
      '{Web.PageTest}': ['apps/web/test/support/factory.ex#Web.Factory.cart_factory'],
    });
  });
});
