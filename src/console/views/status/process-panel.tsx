/** Facts about the daemon, and links to read more. */
import { ExternalLink } from 'lucide';
import type { Status } from '../../../../routes/status.ts';
import { Fact } from '../../elements/fact.tsx';
import { Icon } from '../../elements/icon.tsx';
import { Panel } from '../../elements/panel.tsx';
import { count, countOf, FilePath, Name, size } from '../../elements/text.tsx';
import { addressOf } from '../../route.ts';

export function ProcessPanel({ status }: { status: Status }) {
  const { version, nodeVersion, pid, url, instanceId, log, openDescriptors, reads, storage, streams, servers } = status;
  const { contents, listings, results } = reads.caches;
  return (
    <Panel
      title="Daemon"
      note={`contextd ${version}`}
      actions={
        <>
          <OwnPage href="/docs">API</OwnPage>
          <OwnPage href="/openapi.json">openapi.json</OwnPage>
        </>
      }
    >
      <dl class="facts status-facts">
        <Fact name="Address">
          <code>
            <Name>{url}</Name>
          </code>
        </Fact>
        <Fact name="Process">
          {pid}, Node.js {nodeVersion}
          {openDescriptors !== undefined && `, ${countOf(openDescriptors, 'open file')}`}
        </Fact>
        <Fact name="This run">
          <code>
            <Name>{instanceId}</Name>
          </code>
        </Fact>
        <Fact name="Servers">
          <a href={addressOf('servers')}>
            {count(servers.ready)} ready, {count(servers.starting)} starting, {count(servers.failed)} failed,{' '}
            {count(servers.stopped)} stopped
          </a>
        </Fact>
        <Fact name="Log">{log === undefined ? 'standard error' : <FilePath path={log} />}</Fact>
        <Fact name="Database">
          {size(storage.databaseBytes)}, journal {size(storage.journalBytes)},{' '}
          {countOf(storage.waitingWrites, 'waiting write')}
          {storage.rows !== undefined && `, ${countOf(storage.rows.approvals, 'approval')}`}
        </Fact>
        <Fact name="Read from disk">
          {countOf(reads.filesRead, 'file')}, {countOf(reads.directoriesListed, 'directory', 'directories')},{' '}
          {count(reads.filesParsed)} parsed, {count(reads.blocked)} blocked by policy
        </Fact>
        <Fact name="Parser">
          {countOf(reads.parserStarts, 'start')}, {countOf(reads.parserFailures, 'failure')}
        </Fact>
        <Fact name="Kept in memory">
          {countOf(contents.entries, 'content')} ({size(contents.weight)}), {countOf(listings.entries, 'listing')},{' '}
          {countOf(results.entries, 'answer')} ({size(results.weight)})
        </Fact>
        <Fact name="Events replayed">{count(streams.replayed)}</Fact>
      </dl>
    </Panel>
  );
}

function OwnPage({ href, children }: { href: string; children: string }) {
  return (
    <a class="status-link" href={href} target="_blank" rel="noreferrer">
      {children} <Icon icon={ExternalLink} size={14} />
    </a>
  );
}
