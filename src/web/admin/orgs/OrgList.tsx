/** All organizations, with filters. */

import { number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { searchFilter, timeFilters } from '../../ui/table/filters.tsx'
import { Table } from '../../ui/table/Table.tsx'
import { OrgLink } from '../../ui/UserLink.tsx'

const words = texts({
  en: {
    title: 'Organizations',
    create: 'New organization',
    code: 'Code',
    members: 'Members',
    visibility: 'Visibility',
    joining: 'Joining',
    member: 'With this member',
  },
  zh: {
    title: '组织',
    create: '新建组织',
    code: '组织码',
    members: '成员',
    visibility: '可见范围',
    joining: '加入方式',
    member: '包含成员',
  },
})

export default function OrgList() {
  const t = useTexts(words)
  return (
    <Table
      operation="admin.orgs.list"
      title={t.title}
      create={{ to: '/admin/orgs/create', needs: 'admin.orgs.create', label: t.create }}
      opens={{ to: ({ id }) => `/admin/orgs/${id}/show`, needs: 'admin.orgs.get' }}
      sort="-createdAt"
      filters={[
        searchFilter,
        { source: 'status', kind: 'enum', of: 'orgStatus', always: true },
        { source: 'visibility', kind: 'enum', of: 'orgVisibility', label: t.visibility },
        { source: 'joinPolicy', kind: 'enum', of: 'joinPolicy', label: t.joining },
        { source: 'userId', kind: 'user', label: t.member },
        ...timeFilters,
      ]}
      columns={[
        {
          source: 'name',
          sortable: true,
          render: ({ id, name, avatarUrl }) => <OrgLink id={id} name={name} avatarUrl={avatarUrl} linked={false} />,
        },
        { source: 'code', label: t.code },
        { source: 'owner', kind: 'user', user: ({ owner }) => ({ ...owner, id: owner.userId }) },
        {
          source: 'memberCount',
          kind: 'count',
          label: t.members,
          sortable: true,
          render: ({ memberCount, memberLimit }) => `${number(memberCount)} / ${number(memberLimit)}`,
        },
        { source: 'visibility', kind: 'enum', of: 'orgVisibility', label: t.visibility, phone: 'hidden' },
        { source: 'joinPolicy', kind: 'enum', of: 'joinPolicy', label: t.joining, phone: 'hidden' },
        { source: 'status', kind: 'enum', of: 'orgStatus' },
        { source: 'createdAt', kind: 'time', sortable: true },
      ]}
    />
  )
}
