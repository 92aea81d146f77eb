import { describe, expect, it } from 'vitest';
import { importsOf } from './support/tree.ts';

describe('Ruby requires', () => {
  it('RT-02 require_relative, require in lib, load and autoload', async () => {
    const tree = {
      'lib/shop.rb':
        "require 'shop/cart'\nrequire_relative 'shop/price'\nautoload :Tax, 'shop/tax'\nShop.autoload :Line, 'shop/line.rb'\nrequire 'json'\nrequire 'shop/gone'\nrequire_relative 'gone'\nload 'tasks/all.rake'\nrequire \"shop/#{name}\"\nrequire name\nobject.require 'no'\nShop::Cart.new\n",
      'lib/shop/cart.rb': '# Shop, Price\nclass Shop::Cart; end\n',
      'lib/shop/price.rb': 'Price = 1\n',
      'lib/shop/tax.rb': '',
      'lib/shop/line.rb': '',
      'tasks/all.rake': '',
    };
    expect(await importsOf('lib/shop.rb', tree)).toEqual({
      'shop/cart': ['lib/shop/cart.rb#Shop,Cart'],
      'shop/price': ['lib/shop/price.rb'],
      'shop/tax': ['lib/shop/tax.rb#Tax'],
      'shop/line.rb': ['lib/shop/line.rb#Line'],
      json: 'outside_workspace',
      'shop/gone': 'not_found',
      gone: 'not_found',
      'tasks/all.rake': ['tasks/all.rake'],
    });
  });

  it('RT-02 tests, and paths that are put together from the file’s own place', async () => {
    const tree = {
      'test/cart_test.rb':
        "require 'test_helper'\nrequire File.expand_path('../../lib/shop', __FILE__)\nrequire File.join(__dir__, 'support', 'factory')\nrequire './lib/shop'\n",
      'test/test_helper.rb': '',
      'test/support/factory.rb': '',
      'lib/shop.rb': '',
    };
    expect(await importsOf('test/cart_test.rb', tree)).toEqual({
      test_helper: ['test/test_helper.rb'],
      '../lib/shop': ['lib/shop.rb'],
      'support/factory': ['test/support/factory.rb'],
      './lib/shop': ['lib/shop.rb'],
    });
  });

  it('RT-02 other gems of the workspace, with the paths their gemspecs name', async () => {
    const tree = {
      'one/lib/one.rb': "require 'two'\nrequire 'three/x'\nrequire 'four'\n",
      'one/one.gemspec': "Gem::Specification.new do |s|\n  s.require_paths = ['lib', 'ext']\nend\n",
      'one/ext/four.rb': '',
      'two/lib/two.rb': '',
      'gems/three/three.gemspec': 'Gem::Specification.new { |s| s.require_paths = %w[source] }\n',
      'gems/three/source/three/x.rb': '',
    };
    expect(await importsOf('one/lib/one.rb', tree)).toEqual({
      two: ['two/lib/two.rb'],
      'three/x': ['gems/three/source/three/x.rb'],
      four: ['one/ext/four.rb'],
    });
  });
});
