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
      '': ['lib/shop.rb#Shop', 'lib/shop/cart.rb#Cart'],
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
      '': [],
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

  it('RT-02 constants that Rails loads by the names of their files, from the inside out', async () => {
    const tree = {
      'app/controllers/shop/carts_controller.rb': `module Shop
  class CartsController < ApplicationController
    include Paging
    rescue_from Cart::Full, Errors::NotFound, ::Top
    def index = Item.all + Shop::HTMLItem.all + Cart::STATES + Date.today + Billing::Invoice.of(Gone::Thing)
  end
end
`,
      'app/controllers/application_controller.rb': '',
      'app/controllers/concerns/paging.rb': '',
      'app/models/shop.rb': '',
      'app/models/item.rb': '',
      'app/models/not_found.rb': '',
      'app/models/top.rb': '',
      'app/models/shop/cart.rb': '',
      'app/models/shop/item.rb': '',
      'app/models/shop/html_item.rb': '',
      'app/models/errors/not_found.rb': '',
      'packs/billing/app/public/billing/invoice.rb': '',
      'lib/date.rb': '',
    };
    expect(await importsOf('app/controllers/shop/carts_controller.rb', tree)).toEqual({
      '': [
        'app/controllers/application_controller.rb#ApplicationController',
        'app/controllers/concerns/paging.rb#Paging',
        'app/models/shop/cart.rb#Cart,Full,STATES',
        'app/models/errors/not_found.rb#NotFound',
        'app/models/top.rb#Top',
        'app/models/shop/item.rb#Item',
        'app/models/shop/html_item.rb#HTMLItem',
        'lib/date.rb#Date',
        'packs/billing/app/public/billing/invoice.rb#Invoice',
      ],
    });
  });

  it('RT-02 models that a model is associated with', async () => {
    const tree = {
      'app/models/account.rb': `class Account < ApplicationRecord
  belongs_to :user
  has_many :statuses, dependent: :destroy
  has_many :categories
  has_one :avatar, class_name: 'Media::Picture'
  has_many :gone_things
  validates :cart
end
`,
      'app/models/user.rb': '',
      'app/models/status.rb': '',
      'app/models/category.rb': '',
      'app/models/media/picture.rb': '',
      'app/models/cart.rb': '',
      'spec/models/account_spec.rb': 'RSpec.describe Account do\n  let(:user) { User.new }\nend\n',
    };
    expect(await importsOf('app/models/account.rb', tree)).toEqual({
      '': [
        'app/models/media/picture.rb#Picture',
        'app/models/user.rb#User',
        'app/models/status.rb#Status',
        'app/models/category.rb#Category',
      ],
    });
    expect(await importsOf('spec/models/account_spec.rb', tree)).toEqual({
      '': ['app/models/account.rb#Account', 'app/models/user.rb#User'],
    });
  });

  it('RT-02 constants by where they are written: of another module, outside all modules, around the own one', async () => {
    const tree = {
      'app/models/admin/user.rb':
        "class Admin::User < ::User\n  belongs_to :owner, class_name: '::Person'\n  def pay = Stripe::Customer.create(Customer.find(1))\nend\n",
      'app/models/user.rb': '',
      'app/models/admin.rb': '',
      'app/models/person.rb': '',
      'app/models/admin/person.rb': '',
      'app/models/customer.rb': '',
      'app/services/order/create.rb': 'class Order::Create\n  def call = Order.find(1)\nend\n',
      'app/models/order.rb': '',
    };
    expect(await importsOf('app/models/admin/user.rb', tree)).toEqual({
      '': ['app/models/user.rb#User', 'app/models/customer.rb#Customer', 'app/models/person.rb#Person'],
    });
    expect(await importsOf('app/services/order/create.rb', tree)).toEqual({ '': ['app/models/order.rb#Order'] });
  });

  it('RT-02 the factories that a test names', async () => {
    const text =
      'let(:user) { create(:user) }\nlet(:all) { build_list :category, 2 }\nbuild(:admin)\ncreate(:writer)\ncreate(:other)\n';
    const factory = (name: string, more = ''): string =>
      `FactoryBot.define do\n  factory :${name}${more} do\n    x { 1 }\n  end\nend\n`;
    const tree = {
      'spec/factories/users.rb':
        'FactoryBot.define do\n  factory :user, aliases: [:author, :writer] do\n    factory :admin do\n    end\n  end\n\n  factory :guest\nend\n',
      'spec/factories/shop/categories.rb': factory('category'),
      'spec/factories.rb': factory('unused'),
      'engines/pay/spec/models/pay_spec.rb': 'create(:payment); create :user\n',
      'engines/pay/spec/factories.rb': factory('payment'),
      'spec/models/user_spec.rb': text,
      'app/models/user.rb': text,
    };
    expect(await importsOf('spec/models/user_spec.rb', tree)).toEqual({
      '': ['spec/factories/users.rb#:user', 'spec/factories/shop/categories.rb#:category'],
    });
    expect(await importsOf('engines/pay/spec/models/pay_spec.rb', tree)).toEqual({
      '': ['spec/factories/users.rb#:user', 'engines/pay/spec/factories.rb#:payment'],
    });
    expect(await importsOf('app/models/user.rb', tree)).toEqual({ '': [] });
  });

  it('RT-02 modules that a test includes are in directories of the tests, which a pattern loads', async () => {
    const tree = {
      'app/models/entry.rb': 'class Entry; end\n',
      'test/models/entry_test.rb':
        'class EntryTest < ActiveSupport::TestCase\n  include SyncableInterfaceTest, EntriesTestHelper, SignInHelper, Shared::Times\n  Entry\nend\n',
      'test/interfaces/syncable_interface_test.rb': 'module SyncableInterfaceTest; end\n',
      'test/support/entries_test_helper.rb': 'module EntriesTestHelper; end\n',
      'test/support/helpers/sign_in_helper.rb': 'module SignInHelper; end\n',
      'test/support/shared/times.rb': 'module Shared::Times; end\n',
      'test/support/entry.rb': 'class Entry; end\n',
    };
    const helpers = [
      'test/interfaces/syncable_interface_test.rb#SyncableInterfaceTest',
      'test/support/entries_test_helper.rb#EntriesTestHelper',
      'test/support/helpers/sign_in_helper.rb#SignInHelper',
      'test/support/shared/times.rb#Times',
    ];
    const found = Object.values(await importsOf('test/models/entry_test.rb', tree)).flat();
    expect(found).toEqual(expect.arrayContaining([...helpers, 'app/models/entry.rb#Entry']));
    expect(found).not.toContain('test/support/entry.rb#Entry');
    // A directory of tests is no namespace for this.
    const ofModel = { 'app/models/shop/entry.rb': '', 'test/models/shop/a_test.rb': 'Entry\n' };
    const inModels = await importsOf('test/models/shop/a_test.rb', { ...tree, ...ofModel });
    expect(inModels).toEqual({ '': ['app/models/entry.rb#Entry'] });
    const ofApplication = await importsOf('app/models/entry.rb', { ...tree, 'app/models/entry.rb': 'SignInHelper\n' });
    expect(Object.values(ofApplication).flat()).toEqual([]);
  });
});
