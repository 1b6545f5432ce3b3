/** Reservations of all organizations. */

import { EventAvailable } from '@mui/icons-material'

import type { AdminAssetReservation } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { useLabels } from '../../i18n/fields.ts'
import { clockTime, date, dateTime } from '../../i18n/format.ts'
import { things } from '../../i18n/things.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { DetailTable } from '../../ui/DetailTable.tsx'
import { Facts } from '../../ui/parts.tsx'
import { timeFilters } from '../../ui/table/filters.tsx'
import { TwoLines, Unbroken } from '../../ui/table/TwoLines.tsx'
import { OrgLink, UserLink } from '../../ui/UserLink.tsx'
import { createdColumn, ownerFilters, Person } from './shared.tsx'

const words = texts({
  en: {
    title: things.reservation.many.en,
    none: 'No reservations yet',
    noneText: 'When members of organizations reserve assets, the reservations are listed here.',
    items: 'Things',
    person: 'For',
    purpose: 'Purpose',
    reason: 'Reason',
    decidedBy: 'Decided by',
    madeBy: 'Made by',
    until: (time: string) => `until ${time}`,
    number: (id: number) => `Reservation ${id}`,
  },
  zh: {
    title: things.reservation.many.zh,
    none: '还没有预约',
    noneText: '组织成员预约资产后，预约会显示在这里。',
    items: '物品',
    person: '借用人',
    purpose: '用途',
    reason: '原因',
    decidedBy: '审批人',
    madeBy: '提交人',
    until: (time: string) => `至 ${time}`,
    number: (id: number) => `预约 ${id}`,
  },
})

const itemsOf = ({ items }: AdminAssetReservation): string =>
  items
    .map(({ name, assetNo, assetId, quantity }) =>
      assetId === null ? `${quantity} × ${name}` : `${name} (${assetNo})`,
    )
    .join(', ')

export default function ReservationList() {
  const t = useTexts(words)
  const f = useLabels()
  const statusOf = useEnum('reservationStatus')
  return (
    <DetailTable
      operation="assetReservations.listAll"
      title={t.title}
      sort="-createdAt"
      filters={[
        { source: 'status', kind: 'enum', of: 'reservationStatus', always: true },
        ...ownerFilters,
        ...timeFilters,
      ]}
      columns={[
        { source: 'items', label: t.items, render: itemsOf, text: itemsOf },
        {
          source: 'userName',
          label: t.person,
          render: ({ personName, userName, orgId, orgName }) => (
            <TwoLines
              first={personName ?? userName}
              second={orgId === null ? null : <OrgLink id={orgId} name={orgName} />}
            />
          ),
          text: ({ personName, userName }) => personName ?? userName,
        },
        {
          source: 'from',
          kind: 'time',
          render: ({ from, to }) => (
            <TwoLines
              first={<Unbroken>{dateTime(from)}</Unbroken>}
              second={<Unbroken>{t.until(dateTime(to))}</Unbroken>}
            />
          ),
        },
        { source: 'to', kind: 'time', exportOnly: true },
        { source: 'status', kind: 'enum', of: 'reservationStatus' },
        { source: 'orgId', text: ({ orgName, orgId }) => orgName ?? orgId, exportOnly: true },
        {
          ...createdColumn,
          render: ({ createdAt }) => (
            <TwoLines first={<Unbroken>{date(createdAt)}</Unbroken>} second={clockTime(createdAt)} />
          ),
        },
      ]}
      nameOf={({ id }) => t.number(id)}
      renderDetails={(row) => (
        <Facts
          items={[
            [f('status'), statusOf(row.status)],
            [t.items, itemsOf(row)],
            [
              t.person,
              row.personName ?? <UserLink key="for" id={row.userId} nickname={row.userName} username={null} />,
            ],
            [f('from'), dateTime(row.from)],
            [f('to'), dateTime(row.to)],
            [t.purpose, row.purpose],
            [f('note'), row.note],
            [t.reason, row.reason],
            [
              t.decidedBy,
              row.decidedBy !== null && <UserLink key="by" id={row.decidedBy} nickname={null} username={null} />,
            ],
            [t.madeBy, <Person key="owner" row={row} />],
            [f('orgId'), row.orgId !== null && <OrgLink key="org" id={row.orgId} name={row.orgName} />],
            [f('createdAt'), dateTime(row.createdAt)],
            [f('updatedAt'), dateTime(row.updatedAt)],
            [f('id'), row.id],
          ]}
        />
      )}
      empty={{ icon: EventAvailable, title: t.none, text: t.noneText }}
    />
  )
}
