import type { ComponentChildren } from 'preact';
import type { ClientContextConfig, ResolveResult, ShownMcpServer } from '../../../context/resolve-result.ts';
import { Badge } from '../../elements/badge.tsx';
import { Panel } from '../../elements/panel.tsx';
import { countOf, FilePath, Name } from '../../elements/text.tsx';
import { relativeTo } from '../../paths.ts';
import { addressOf } from '../../route.ts';
import { scopeWords } from './workspace-request.ts';

/** The configuration files that took part, and the merged configuration. */
export function ConfigurationPanel({ result }: { result: ResolveResult }) {
  const { config, configSources, workingDirectories, mountedDirectory } = result;
  const servers = Object.entries(config.mcpServers);
  return (
    <Panel title="Configuration" note={countOf(configSources.length, 'file')}>
      <div class="stack workspace-tight">
        <Part title={workingDirectories.length === 1 ? 'Working directory' : 'Working directories'}>
          <ul>
            {workingDirectories.map((path) => (
              <li key={path}>
                <FilePath path={relativeTo(mountedDirectory, path)} />
                {path === mountedDirectory && <span class="faint"> the mounted directory itself</span>}
              </li>
            ))}
          </ul>
        </Part>
        <Part title="Sources, weakest first">
          {configSources.length === 0 ? (
            <p class="faint">No configuration was found: the defaults apply.</p>
          ) : (
            <ol class="workspace-sources">
              {configSources.map(({ path, scope }) => (
                <li key={path}>
                  <FilePath path={relativeTo(mountedDirectory, path)} /> <Badge>{scopeWords[scope].title}</Badge>
                </li>
              ))}
            </ol>
          )}
        </Part>
        <ClientContext config={config.clientContext} />
        {servers.length > 0 && (
          <Part title="Servers">
            <ul class="workspace-sources">
              {servers.map(([name, server]) => (
                <Server key={name} name={name} server={server} mountedDirectory={mountedDirectory} />
              ))}
            </ul>
            <a href={addressOf('servers')}>To their states and approval</a>
          </Part>
        )}
      </div>
    </Panel>
  );
}

function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div>
      <h3>{title}</h3>
      {children}
    </div>
  );
}

function ClientContext({ config }: { config: ClientContextConfig }) {
  const { includeFiles, excludeFiles, ignoreGlobalContext, ignoreAncestorContext } = config;
  return (
    <Part title="Merged">
      <dl class="workspace-facts">
        <dt>includeFiles</dt>
        <dd>
          <Patterns patterns={includeFiles} />
        </dd>
        <dt>excludeFiles</dt>
        <dd>
          <Patterns patterns={excludeFiles} />
        </dd>
        <dt>ignoreGlobalContext</dt>
        <dd>{ignoreGlobalContext ? 'yes' : 'no'}</dd>
        <dt>ignoreAncestorContext</dt>
        <dd>{ignoreAncestorContext ? 'yes' : 'no'}</dd>
      </dl>
    </Part>
  );
}

function Patterns({ patterns }: { patterns: readonly string[] }) {
  if (patterns.length === 0) return <span class="faint">none</span>;
  return (
    <ul class="workspace-patterns">
      {patterns.map((pattern) => (
        <li key={pattern}>
          <code>
            <Name>{pattern}</Name>
          </code>
        </li>
      ))}
    </ul>
  );
}

function Server(props: { name: string; server: ShownMcpServer; mountedDirectory: string }) {
  const { name, server, mountedDirectory } = props;
  return (
    <li>
      <strong>
        <Name>{name}</Name>
      </strong>{' '}
      {server.disabled === true && <Badge>disabled</Badge>}{' '}
      {server.shadows !== undefined && server.shadows.length > 0 && (
        <Badge title={server.shadows.map(({ path }) => path).join('\n')}>
          hides {countOf(server.shadows.length, 'weaker definition')}
        </Badge>
      )}
      <span class="faint">
        in <FilePath path={relativeTo(mountedDirectory, server.definedIn)} />
      </span>
    </li>
  );
}
