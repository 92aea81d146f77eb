import { useResource } from '../../api/resource.ts';
import { Dialog } from '../../elements/dialog.tsx';
import { Notice } from '../../elements/panel.tsx';
import { ResourceState } from '../../elements/resource-state.tsx';
import { ItemColumns } from './item-columns.tsx';
import { loadMessage } from './session-log.ts';

type ReportedContextDrawerProps = {
  sessionId: string;
  syncId: number;
  onClose: () => void;
};

/** The context that a client reported together with its own reply: names and modes, exactly as reported. */
export function ReportedContextDrawer({ sessionId, syncId, onClose }: ReportedContextDrawerProps) {
  const message = useResource(`context ${sessionId} ${syncId}`, (signal) => loadMessage(sessionId, syncId, signal));
  const { value } = message;
  const items = value?.role === 'assistant' ? (value.requestContext?.items ?? []) : [];
  return (
    <Dialog title="Request context" shape="drawer" isWide onClose={onClose}>
      <ResourceState resource={message} rows={10} />
      {value !== undefined && (
        <>
          <Notice tone="info">
            A client reported this reply together with its context. The request was not built here, so priorities,
            descriptions and the sent text are unknown.
          </Notice>
          <ItemColumns
            items={items.map((item) => ({ ...item, serverName: item.type === 'tool' ? item.serverName : undefined }))}
          />
        </>
      )}
    </Dialog>
  );
}
