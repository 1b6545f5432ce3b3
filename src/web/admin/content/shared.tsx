/** Columns, filters and facts that the tables of this area have in common. */

import { Link as MuiLink } from '@mui/material'
import { Link } from 'react-router'

import { dateTime } from '../../i18n/format.ts'
import { currentLocale } from '../../i18n/locale.ts'
import { texts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import type { Column } from '../../ui/table/columns.tsx'
import { OrgLink, UserLink } from '../../ui/UserLink.tsx'

/** A row that names its user, and the organization if it belongs to one. */
export interface OwnedRow {
  id: number
  owner: { userId: number; username: string | null; nickname: string } | null
  orgId?: number | null
  orgName?: string | null
}

/** The organization that owns the row, otherwise the user. */
export function Owner({ row }: { row: OwnedRow }) {
  if (row.orgId !== null && row.orgId !== undefined) return <OrgLink id={row.orgId} name={row.orgName ?? null} />
  return <Person row={row} />
}

export function Person({ row: { owner } }: { row: OwnedRow }) {
  return <UserLink id={owner?.userId} nickname={owner?.nickname ?? null} username={owner?.username ?? null} />
}

export const ownerName = ({ orgName, owner }: OwnedRow): string =>
  orgName ?? (owner === null ? '' : owner.nickname || owner.username || String(owner.userId))

export const ownerColumn = <Row extends OwnedRow>(): Column<Row> => ({
  source: 'owner',
  render: (row) => <Owner row={row} />,
  text: ownerName,
})

/** The user, in tables that have a column for the organization too. */
export const personColumn = <Row extends OwnedRow>(label: string): Column<Row> => ({
  source: 'owner',
  label,
  render: (row) => <Person row={row} />,
  text: (row) => ownerName({ ...row, orgName: null }),
})

/** The organization, in tables that have a column for the user too. */
export const orgColumn = <Row extends Pick<OwnedRow, 'orgId' | 'orgName'>>(): Column<Row> => ({
  source: 'orgId',
  // Null and not an empty link: cards on phones leave out columns without content.
  render: (row) => (row.orgId == null ? null : <OrgLink id={row.orgId} name={row.orgName ?? null} />),
  text: ({ orgName, orgId }) => orgName ?? orgId,
})

export const createdColumn = { source: 'createdAt', kind: 'time', sortable: true } as const

export const ownerFilters = [
  { source: 'userId', kind: 'user' },
  { source: 'orgId', kind: 'org' },
] as const

/** `52.52001, 13.40495`, or an empty text. */
export const position = (latitude: number | null, longitude: number | null): string =>
  latitude === null || longitude === null ? '' : `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`

const words = texts({
  en: { from: (time: string) => `from ${time}`, until: (time: string) => `until ${time}` },
  zh: { from: (time: string) => `${time} 起`, until: (time: string) => `截至 ${time}` },
})

/** `21 Nov 2026, 14:00 – 21 Nov 2026, 18:00`, `from …` or `until …`; empty if there is neither. */
export function period(from: number | null, to: number | null): string {
  const t = words[currentLocale()]
  if (from === null) return to === null ? '' : t.until(dateTime(to))
  return to === null ? t.from(dateTime(from)) : `${dateTime(from)} – ${dateTime(to)}`
}

/** The name of an activity, linked to its page for administrators who may open it. */
export function ActivityLink({ id, name }: { id: number; name: string }) {
  const may = useMay()
  if (!may('admin.activities.get')) return <>{name}</>
  return (
    <MuiLink component={Link} to={`/admin/activities/${id}/show`}>
      {name}
    </MuiLink>
  )
}
