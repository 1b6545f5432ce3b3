/** Passes of all activities. Their codes are not shown, because anyone who sees one could enter with it. */

import { Block, ConfirmationNumber } from '@mui/icons-material'

import { useLabels } from '../../i18n/fields.ts'
import { dateTime, labelled } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { DetailTable } from '../../ui/DetailTable.tsx'
import { Facts } from '../../ui/parts.tsx'
import { EnumStatus } from '../../ui/Status.tsx'
import { searchFilter, timeFilters } from '../../ui/table/filters.tsx'
import { OrgLink, UserLink } from '../../ui/UserLink.tsx'
import { ReasonButton } from './ReasonButton.tsx'
import { ActivityLink, createdColumn, orgColumn, ownerFilters, period } from './shared.tsx'

const words = texts({
  en: {
    title: 'Passes',
    none: 'No passes yet',
    noneText: 'Passes that organizers issue for their activities are listed here.',
    remove: 'The pass and its entries are deleted, and it no longer opens the gate. This cannot be undone.',
    revoke: 'Revoke',
    revokeTitle: (name: string) => `Revoke the pass of ${name}?`,
    revokeText: 'The gate refuses the pass from now on. It stays in the list. This cannot be undone.',
    revoked: 'The pass is revoked.',
    reason: 'Reason (shown to the holder)',
    reasonFact: 'Reason',
    validity: 'Valid',
    entries: (used: number, max: number) => (max === 0 ? `${used}, any number allowed` : `${used} of ${max}`),
    lastUsed: 'Last entry',
    revokedAt: 'Revoked',
    guest: 'Guest without an account',
  },
  zh: {
    title: '通行证',
    none: '还没有通行证',
    noneText: '主办方为活动发放的通行证会显示在这里。',
    remove: '通行证及其入场记录将被删除，无法再用于入场。此操作无法撤销。',
    revoke: '作废',
    revokeTitle: (name: string) => `作废${name}的通行证？`,
    revokeText: '通行证从现在起无法入场，但仍会保留在列表中。此操作无法撤销。',
    revoked: '通行证已作废。',
    reason: '原因（持有人可见）',
    reasonFact: '原因',
    validity: '有效期',
    entries: (used: number, max: number) => (max === 0 ? `${used} 次，不限次数` : `${used} / ${max} 次`),
    lastUsed: '最近入场',
    revokedAt: '作废时间',
    guest: '无账号的来宾',
  },
})

export default function PassList() {
  const t = useTexts(words)
  const f = useLabels()
  return (
    <DetailTable
      operation="admin.passes.list"
      title={t.title}
      sort="-createdAt"
      filters={[
        searchFilter,
        { source: 'status', kind: 'enum', of: 'passStatus', always: true },
        { source: 'activityId', kind: 'number' },
        ...ownerFilters,
        ...timeFilters,
      ]}
      columns={[
        { source: 'holderName' },
        { source: 'activityName' },
        { source: 'status', kind: 'enum', of: 'passStatus' },
        { source: 'usedCount', render: (row) => t.entries(row.usedCount, row.maxUses) },
        { source: 'validTo', kind: 'time', phone: 'hidden' },
        orgColumn(),
        createdColumn,
      ]}
      nameOf={(row) => labelled(row.activityName, row.holderName)}
      renderDetails={(row) => (
        <Facts
          items={[
            [f('status'), <EnumStatus key="status" of="passStatus" value={row.status} />],
            [f('activityName'), <ActivityLink key="activity" id={row.activityId} name={row.activityName} />],
            [f('holderName'), row.holderName],
            [
              f('userId'),
              row.owner === null ? (
                t.guest
              ) : (
                <UserLink
                  key="user"
                  id={row.owner.userId}
                  nickname={row.owner.nickname}
                  username={row.owner.username}
                />
              ),
            ],
            ...row.fields.map(({ label, value }) => [label, value] as const),
            [t.validity, period(row.validFrom, row.validTo)],
            [f('usedCount'), t.entries(row.usedCount, row.maxUses)],
            [t.lastUsed, dateTime(row.lastUsedAt)],
            [t.revokedAt, dateTime(row.revokedAt)],
            [t.reasonFact, row.revokeReason],
            [f('orgId'), row.orgId !== null && <OrgLink key="org" id={row.orgId} name={row.orgName} />],
            [f('createdAt'), dateTime(row.createdAt)],
            [f('id'), row.id],
          ]}
        />
      )}
      renderButtons={(row) =>
        row.status !== 'REVOKED' && (
          <ReasonButton
            operation="admin.passes.revoke"
            params={{ passId: row.id }}
            label={t.revoke}
            icon={<Block />}
            title={t.revokeTitle(row.holderName)}
            text={t.revokeText}
            reasonLabel={t.reason}
            done={t.revoked}
          />
        )
      }
      target="PASS"
      removal={{ operation: 'admin.passes.delete', param: 'passId', text: t.remove }}
      empty={{ icon: ConfirmationNumber, title: t.none, text: t.noneText }}
    />
  )
}
