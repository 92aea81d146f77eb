import { describe, expect, it } from 'vitest';
import { importsOf } from './support/tree.ts';

const project = (content = ''): string => `<Project Sdk="Microsoft.NET.Sdk.Web">${content}</Project>`;
const type = (namespace: string, declaration: string): string => `namespace ${namespace};\n\n${declaration}\n`;

/** Only what led to files. */
async function filesOf(path: string, tree: Record<string, string>): Promise<string[]> {
  const found = Object.values(await importsOf(path, tree));
  return found.flatMap((each) => (typeof each === 'string' ? [] : each));
}

describe('C# imports', () => {
  it('RT-02 types of a namespace, of the own one and those around it; packages and unused namespaces', async () => {
    const tree = {
      'src/Web/Shop.Web.csproj': project(
        '<ItemGroup><ProjectReference Include="..\\Core\\Shop.Core.csproj" /></ItemGroup>',
      ),
      'src/Web/Controllers/OrdersController.cs':
        'using System.Text;\nusing MediatR;\nusing Shop.Core.Orders;\nusing Shop.Core.Unused;\n\nnamespace Shop.Web.Controllers;\n\n[Audited]\npublic class OrdersController(IOrders orders) : BaseController\n{\n    public List<OrderModel> All() => Map.From(orders);\n    /* Unused */ // Comment\n}\n',
      'src/Web/Controllers/BaseController.cs': type('Shop.Web.Controllers', 'public abstract class BaseController { }'),
      'src/Web/Controllers/Comment.cs': type('Shop.Web.Controllers', 'class Comment { }'),
      'src/Web/Odd/AuditedAttribute.cs': type('Shop.Web', 'class AuditedAttribute : Attribute { }'),
      'src/Web/Odd/OrderModel.cs': type('Shop.Elsewhere', 'class OrderModel { }'),
      'src/Core/Shop.Core.csproj': project(),
      'src/Core/Orders/Interfaces.cs': type('Shop.Core.Orders', 'public interface IOrders\n{\n    class List { }\n}'),
      'src/Core/Orders/Order.cs': type(
        'Shop.Core.Orders',
        'public record OrderModel(int Id);\npublic static class Map { }',
      ),
      'src/Other/Other.csproj': project(),
      'src/Other/IOrders.cs': type('Shop.Core.Orders', 'public interface IOrders { }'),
    };
    expect(await importsOf('src/Web/Controllers/OrdersController.cs', tree)).toEqual({
      '': ['src/Web/Odd/AuditedAttribute.cs#AuditedAttribute'],
      '{From}': [],
      'System.Text': 'outside_workspace',
      MediatR: 'outside_workspace',
      'Shop.Core.Orders': ['src/Core/Orders/Interfaces.cs#IOrders', 'src/Core/Orders/Order.cs#OrderModel,Map'],
      'Shop.Core.Unused': [],
      'Shop.Web.Controllers': ['src/Web/Controllers/BaseController.cs#BaseController'],
    });
  });

  it('RT-02 types in directories that are called like files of another kind', async () => {
    const tree = {
      'App/App.csproj': project(),
      'App/Program.cs': 'using App.Text;\n\nJson.Write(new Row());\n',
      'App/Text/Newtonsoft.Json/Json.cs': type('App.Text', 'static class Json { }'),
      'App/Data.Sql/Row.cs': type('App.Text', 'class Row { }'),
      'App/Data.Sql/schema.sql': '',
    };
    expect(await filesOf('App/Program.cs', tree)).toEqual([
      'App/Text/Newtonsoft.Json/Json.cs#Json',
      'App/Data.Sql/Row.cs#Row',
    ]);
  });

  it('RT-02 what a whole project uses: settings, shared settings, global usings and Razor imports', async () => {
    const tree = {
      'Directory.Build.props':
        '<Project><PropertyGroup><!-- <RootNamespace>Old</RootNamespace> --><RootNamespace>Shop</RootNamespace></PropertyGroup><ItemGroup><ProjectReference Include="$(MSBuildThisFileDirectory)Lib/Lib.csproj" /><Using Include="Lib.C" /></ItemGroup></Project>',
      'Web/Web.csproj': project(
        '<ItemGroup><Using Include="Lib.A" /><Using Static="true" Include="Lib.Text" /></ItemGroup>',
      ),
      'Web/GlobalUsings.cs': '\uFEFFglobal using Lib.B;\n',
      'Web/_Imports.razor': '@using Lib.D\n@inject Lib.Z z\n',
      'Web/Program.cs': 'A a = new(); B b; C c; D d; E e;\nTrim(a);\n',
      'Lib/Lib.csproj': project('<PropertyGroup><RootNamespace>Lib</RootNamespace></PropertyGroup>'),
      ...Object.fromEntries(
        ['A', 'B', 'C', 'D', 'E'].map((name) => [`Lib/${name}/${name}.cs`, type(`Lib.${name}`, `class ${name};`)]),
      ),
      'Lib/Text.cs': type('Lib', 'static class Text\n{\n    static string Trim(object o) => "";\n}'),
    };
    expect(await importsOf('Web/Program.cs', tree)).toEqual({
      '': ['Lib/A/A.cs#A', 'Lib/B/B.cs#B', 'Lib/C/C.cs#C', 'Lib/D/D.cs#D'],
      '{Trim}': ['Lib/Text.cs#Text.Trim'],
    });
  });

  it('RT-02 projects by properties that name a directory above', async () => {
    const tree = {
      'src/Web/Web.csproj': project(
        '<ProjectReference Include="$(SolutionDir)src\\Core\\Core.csproj" /><ProjectReference Include="$(Odd" />',
      ),
      'src/Web/Use.cs': 'using Core;\nclass Use : Order { }\n',
      'src/Core/Core.csproj': project(),
      'src/Core/Order.cs': type('Core', 'class Order { }'),
    };
    expect(await filesOf('src/Web/Use.cs', tree)).toEqual(['src/Core/Order.cs#Order']);
  });

  it('RT-02 looks into files from outside the project first, as into those of its own namespace', async () => {
    const others = Array.from({ length: 420 }, (_, at): [string, string] => [
      `src/App/Area${at % 30}/T${at}.cs`,
      `namespace Shop.Area${at % 30};\nclass T${at} { }\n`,
    ]);
    const tree = {
      ...Object.fromEntries(others),
      'src/App/App.csproj': project('<RootNamespace>Shop</RootNamespace><Compile Include="..\\Common\\*.cs" />'),
      'src/App/Main.cs': 'namespace Shop;\nclass Main { bool same = Texts.Same(); }\n',
      'src/Common/Helpers.cs': 'namespace Shop;\nclass Texts { }\n',
    };
    expect(await filesOf('src/App/Main.cs', tree)).toEqual(['src/Common/Helpers.cs#Texts']);
  });

  it('RT-02 files that a project takes from elsewhere', async () => {
    const tree = {
      'src/Web/Web.csproj': project(
        '<Compile Include="..\\Shared\\Seed.cs" Link="Seed.cs" /><Compile Include="..\\Common\\T*\\*.cs" /><Compile Include="..\\..\\..\\..\\x.cs" />',
      ),
      'src/Web/Use.cs': 'class Use : Seed { Clock clock; Hidden hidden; }\n',
      'src/Shared/Seed.cs': 'class Seed { }\n',
      'src/Shared/Hidden.cs': 'class Hidden { }\n',
      'src/Common/Time/Clock.cs': 'class Clock { }\n',
    };
    expect(await filesOf('src/Web/Use.cs', tree)).toEqual([
      'src/Shared/Seed.cs#Seed',
      'src/Common/Time/Clock.cs#Clock',
    ]);
  });

  it('RT-02 files that a project takes from directories that properties name', async () => {
    const tree = {
      'Directory.Build.props': `<Project><PropertyGroup>
        <!-- <SharedDir>$(MSBuildThisFileDirectory)/src/Old/</SharedDir> -->
        <SharedDir>$(MSBuildThisFileDirectory)/src/Shared/</SharedDir>
        <TestsSharedDir>$([MSBuild]::NormalizeDirectory($(MSBuildThisFileDirectory), 'tests', 'Shared'))</TestsSharedDir>
        <FakesDir>$(TestsSharedDir)Fakes\\</FakesDir><Round>$(Round)x/</Round>
      </PropertyGroup></Project>`,
      'tests/Web/Web.csproj': project(
        `<Compile Include="$(SharedDir)Seed.cs" Link="Seed.cs" /><Compile Include="$(FakesDir)*.cs" />
        <Compile Include="$(RepoRoot)src\\Other\\Far.cs" /><Compile Include="$(Round)y.cs" /><Compile Include="$(Odd" />
        <Compile Include="$(OutDir)gone.cs" />`,
      ),
      'tests/Web/Use.cs': 'class Use : Seed { Fake fake; Far far; Hidden hidden; }\n',
      'src/Shared/Seed.cs': 'class Seed { }\n',
      'src/Shared/Hidden.cs': 'class Hidden { }\n',
      'src/Old/Seed.cs': 'class Seed { }\n',
      'src/Other/Far.cs': 'class Far { }\n',
      'tests/Shared/Fakes/Fake.cs': 'class Fake { }\n',
    };
    expect(await filesOf('tests/Web/Use.cs', tree)).toEqual([
      'src/Shared/Seed.cs#Seed',
      'tests/Shared/Fakes/Fake.cs#Fake',
      'src/Other/Far.cs#Far',
    ]);
  });

  it('RT-02 namespaces that shared settings make of the name of the project, or that only files tell', async () => {
    const many = (directory: string, namespace: string): Record<string, string> =>
      Object.fromEntries(
        Array.from({ length: 450 }, (_, at) => [
          `${directory}/Many/A${at}.cs`,
          type(`${namespace}.Many`, `class A${at} { }`),
        ]),
      );
    const tree = {
      'Directory.Build.props': '<RootNamespace>Bit.$(MSBuildProjectName)</RootNamespace>',
      'Core/Core.csproj': project('<ProjectReference Include="../Odd/Odd.csproj" />'),
      'Core/Use.cs':
        'using Bit.Core.Orders;\nusing Company.Sales.Deep;\nclass Use { Order order; Known known; Hidden hidden; }\n',
      ...many('Core', 'Bit.Core'),
      'Core/Orders/Rest.cs': type('Bit.Core.Orders', 'class Order { }'),
      'Odd/Odd.csproj': project('<RootNamespace>$(Unknown)</RootNamespace>'),
      ...many('Odd', 'Company.Sales'),
      'Odd/Known.cs': type('Company.Sales', 'class Known { }'),
      'Odd/Deep/Rest.cs': type('Company.Sales.Deep', 'class Hidden { }'),
    };
    expect(await filesOf('Core/Use.cs', tree)).toEqual(['Core/Orders/Rest.cs#Order', 'Odd/Deep/Rest.cs#Hidden']);
  });

  it('RT-02 members of types, other names of types and namespaces, and types that are written with their namespaces', async () => {
    const tree = {
      'App.csproj': project(),
      'Use.cs':
        'using static App.Text;\nusing static App.Plain;\nusing M = App.Models;\nusing Money = App.Models.Euro;\n\nnamespace App\n{\n    using Models;\n    class Use\n    {\n        M.Order o = Cut(1); Models.Line l; Order.Kind k; global::App.Deep.Far f; Item i;\n    }\n}\n',
      'Text.cs': 'namespace App\n{\n    static class Text\n    {\n        static int Cut(int n) => n;\n    }\n}\n',
      'Plain.cs': type('App', 'static class Plain { }'),
      'Models/All.cs':
        'namespace App.Models\n{\n    class Order\n    {\n        public enum Kind { A }\n        class Item { }\n    }\n    class Line { }\n    class Euro { }\n    class Item { }\n}\n',
      'Deep/Far.cs': 'namespace App\n{\n    namespace Deep\n    {\n        class Far { }\n    }\n}\n',
    };
    expect(await filesOf('Use.cs', tree)).toEqual([
      'Text.cs#Text.Cut',
      'Plain.cs#Plain',
      'Models/All.cs#Euro',
      'Models/All.cs#Item',
      'Models/All.cs#Order',
      'Models/All.cs#Line',
      'Models/All.cs#Order.Kind',
      'Deep/Far.cs#Far',
    ]);
  });

  it('RT-02 all parts of a partial class, its own ones too, without generated code; generic types; delegates', async () => {
    const tree = {
      'App.csproj': project(),
      'Own.cs': type('App', 'public partial class Own : Repository<Part>\n{\n    Done<int> done;\n    Own own;\n}'),
      'Own.More.cs': type('App', 'partial class Own { }'),
      'Own.Designer.cs': type('App', 'partial class Own { }'),
      'Part.cs': type('App', 'partial class Part { }'),
      'Part.Two.cs': type('App', 'partial class Part { }'),
      'RepositoryOfT.cs': type('App', 'class Repository<T> { }'),
      'Events.cs': type('App', 'public delegate Task<int> Done<T>(T value);'),
    };
    expect((await filesOf('Own.cs', tree)).toSorted()).toEqual(
      [
        'Own.More.cs#Own',
        'Part.Two.cs#Part',
        'Part.cs#Part',
        'RepositoryOfT.cs#Repository',
        'Events.cs#Done',
      ].toSorted(),
    );
  });

  it('RT-02 extension methods of visible namespaces', async () => {
    const tree = {
      'App.csproj': project(),
      'Program.cs': 'var app = builder.AddShop().Hide();\napp?.Map<Order>();\n',
      'Setup.cs':
        'namespace Microsoft.Extensions.DependencyInjection;\n\npublic static class Setup\n{\n    public static object AddShop(this object o) => o;\n\n    public static object Map<T>(\n        this object o) => o;\n\n    static void AddOther(object o) { }\n}\n',
      'Hidden.cs': type('App.Hidden', 'static class Hidden\n{\n    static void Hide(this object o) { }\n}'),
    };
    expect(await filesOf('Program.cs', tree)).toEqual(['Setup.cs#Setup.AddShop,Setup.Map']);
  });

  it('RT-02 without a project file, as in Unity: the nearest type, up to Assets', async () => {
    const tree = {
      'game/Assets/Scripts/Player/Player.cs':
        'public class Player : MonoBehaviour { Health health; Score score; Far far; }\n',
      'game/Assets/Scripts/Player/Health.cs': 'public class Health { }\n',
      'game/Assets/Samples/Health.cs': 'public class Health { }\n',
      'game/Assets/Game/Score.cs': '[System.Serializable] public class Score { }\n',
      'game/Library/PackageCache/Far.cs': 'public class Far { }\n',
      'other/Far.cs': 'public class Far { }\n',
    };
    expect(await filesOf('game/Assets/Scripts/Player/Player.cs', tree)).toEqual([
      'game/Assets/Scripts/Player/Health.cs#Health',
      'game/Assets/Game/Score.cs#Score',
    ]);
  });

  it('RT-02 namespaces that are no directories: by the names of files, and what is beside them', async () => {
    const tree = {
      'src/app.csproj': project(),
      'src/features/Use.cs':
        'using Company.Product.Data;\nnamespace Company.Product;\nclass Use { Row row; Cell cell; Text text; }\n',
      'src/storage/Row.cs': type('Company.Product.Data', 'class Row { }'),
      'src/storage/Rest.cs': type(
        'Company.Product.Data',
        'class Cell { }\n// class Text { }\n/*\n * class Text { }\n */',
      ),
      'src/bin/Text.cs': type('Company.Product', 'class Text { }'),
    };
    expect(await filesOf('src/features/Use.cs', tree)).toEqual(['src/storage/Row.cs#Row', 'src/storage/Rest.cs#Cell']);
  });
});
