import { describe, expect, it } from 'vitest';
import { importsOf } from './support/tree.ts';

describe('Lua modules', () => {
  it('RT-02 of a plugin for Neovim, with what is used of them, also of plugins beside', async () => {
    const tree = {
      'cart.nvim/lua/cart/init.lua': `local M = {}
local config = require("cart.config")
local view, line = require "cart.view", require("cart.view.line").line
local ok, extra = pcall(require, "cart.extra")
local _, more = xpcall(require, print, "cart.more")
local Price = require("price")

function M.open()
  view:show(config.options.width, line, extra.run(), more.walk)
  require("cart.gone").close()
  require("plenary.job")
  Price(1):round()
  require(name)
  require("cart." .. name)
  require("cart.\\99onfig")
end
return M
`,
      'cart.nvim/lua/cart/config.lua': '',
      'cart.nvim/lua/cart/view/init.lua': '',
      'cart.nvim/lua/cart/view/line.lua': '',
      'cart.nvim/lua/cart/extra.lua': '',
      'cart.nvim/lua/cart/more.lua': '',
      'price.nvim/lua/price.lua': '',
    };
    expect(await importsOf('cart.nvim/lua/cart/init.lua', tree)).toEqual({
      'cart.config': ['cart.nvim/lua/cart/config.lua#options,width'],
      'cart.view': ['cart.nvim/lua/cart/view/init.lua#show'],
      'cart.view.line': ['cart.nvim/lua/cart/view/line.lua#line'],
      'cart.extra': ['cart.nvim/lua/cart/extra.lua#run'],
      'cart.more': ['cart.nvim/lua/cart/more.lua#walk'],
      price: ['price.nvim/lua/price.lua#__call,new,show,round'],
      'cart.gone': 'not_found',
      'plenary.job': 'outside_workspace',
    });
  });

  it('RT-02 below a directory lua by the whole name, and nothing by the name of the file beside', async () => {
    const tree = {
      'lua/plugins/telescope.lua':
        'require("telescope.builtin").find()\nrequire("cmp").setup()\nrequire("plugins.cmp").a()\n',
      'lua/plugins/cmp.lua': 'require("plugins.gone")\n',
      'lua/telescope.lua': '',
    };
    expect(await importsOf('lua/plugins/telescope.lua', tree)).toEqual({
      'telescope.builtin': 'outside_workspace',
      cmp: 'outside_workspace',
      'plugins.cmp': ['lua/plugins/cmp.lua#a'],
    });
    expect(await importsOf('lua/plugins/cmp.lua', tree)).toEqual({ 'plugins.gone': 'not_found' });
  });

  it('RT-02 from the top of a project, src, a rockspec, the own directory, and files by their paths', async () => {
    const tree = {
      'game/main.lua':
        'require("entities.player").new()\nrequire "lib/timer"\nlocal a = require("tool")\nrequire("shop.tax")\ndofile("conf.lua")\nloadfile("gone.lua")\nrequire("json")\n',
      'game/entities/player.lua':
        'local base = require(... .. ".base")\nrequire(... .. ".gone")\nlocal near = require("near")\n',
      'game/entities/player/base.lua': '',
      'game/entities/near.lua': '',
      'game/lib/timer.lua': '',
      'game/src/tool/init.lua': '',
      'game/shop-1.0-1.rockspec': 'build = { modules = { ["shop.tax"] = "code/t.lua", c = "c.c" } }\n',
      'game/code/t.lua': '',
      'far.rockspec': '["shop.tax"] = "tax.lua"\n',
      'tax.lua': '',
      'game/conf.lua': '',
    };
    expect(await importsOf('game/main.lua', tree)).toEqual({
      'entities.player': ['game/entities/player.lua#new'],
      'lib/timer': ['game/lib/timer.lua'],
      tool: ['game/src/tool/init.lua'],
      'shop.tax': ['game/code/t.lua'],
      'conf.lua': ['game/conf.lua'],
      'gone.lua': 'outside_workspace',
      json: 'outside_workspace',
    });
    expect(await importsOf('game/entities/player.lua', tree)).toEqual({
      '.base': ['game/entities/player/base.lua'],
      '.gone': 'not_found',
      near: ['game/entities/near.lua'],
    });
  });

  it.each(['new', 'extend', 'create'])(
    'RT-02 of what makes objects, the methods that are called on some object: %s',
    async (make) => {
      const tree = {
        'a.lua': `local Cart = require("cart")\nlocal cart = Cart.${make}()\ncart:add(1)\n`,
        'cart.lua': '',
      };
      expect(await importsOf('a.lua', tree)).toEqual({ cart: [`cart.lua#${make},add`] });
    },
  );
});
