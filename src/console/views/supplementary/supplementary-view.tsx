import { Panel } from '../../elements/panel.tsx';

export function SupplementaryView() {
  return <Panel title="Supplementary">…</Panel>;
}
