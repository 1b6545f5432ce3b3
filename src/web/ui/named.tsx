/** Users and organizations of which a row has only the id. Their names are read once, and shown as links like the others. */

import { useCall } from '../api/hooks.ts'
import { useMay } from '../session/session.ts'
import { OrgLink, UserLink } from './UserLink.tsx'

export function UserById({ id }: { id: number }) {
  const may = useMay()
  const { data } = useCall('admin.users.get', { params: { userId: id } }, { enabled: may('admin.users.get') })
  return <UserLink id={id} nickname={data?.nickname ?? null} username={data?.username ?? null} />
}

export function OrgById({ id }: { id: number }) {
  const may = useMay()
  const { data } = useCall('admin.orgs.get', { params: { orgId: id } }, { enabled: may('admin.orgs.get') })
  return <OrgLink id={id} name={data?.name ?? null} />
}
