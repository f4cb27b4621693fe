import type { JSX } from 'preact';
import { PageHeader } from '../components/page-header.tsx';
import type { PageProps } from '../shell/router.ts';

export function TrafficPage(_props: PageProps): JSX.Element {
  return <PageHeader title="Traffic" />;
}
