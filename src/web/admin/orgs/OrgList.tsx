/** All organizations, with filters. */

import { DateTimeInput, SearchInput } from 'react-admin'

import type { AdminOrganization } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { AdminTable } from '../../ui/AdminTable.tsx'
import { EnumInput } from '../../ui/enums.tsx'
import { UserFilter } from '../../ui/pickers.tsx'
import { EnumStatus } from '../../ui/Status.tsx'
import { OrgLink, UserLink } from '../../ui/UserLink.tsx'

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
  const statusOf = useEnum('orgStatus')
  const visibilityOf = useEnum('orgVisibility')
  const policyOf = useEnum('joinPolicy')
  const filters = [
    <SearchInput key="keyword" source="keyword" alwaysOn data-search />,
    <EnumInput key="status" source="status" of="orgStatus" alwaysOn />,
    <EnumInput key="visibility" source="visibility" of="orgVisibility" label={t.visibility} />,
    <EnumInput key="joinPolicy" source="joinPolicy" of="joinPolicy" label={t.joining} />,
    <UserFilter key="userId" source="userId" label={t.member} />,
    <DateTimeInput key="from" source="from" />,
    <DateTimeInput key="to" source="to" />,
  ]
  return (
    <AdminTable<AdminOrganization>
      title={t.title}
      createLabel={t.create}
      filters={filters}
      sort={{ field: 'createdAt', order: 'DESC' }}
      columns={[
        {
          source: 'name',
          sortable: true,
          render: ({ id, name, avatarUrl }) => <OrgLink id={id} name={name} avatarUrl={avatarUrl} linked={false} />,
        },
        { source: 'code', label: t.code },
        {
          source: 'owner',
          render: ({ owner }) => <UserLink id={owner.userId} nickname={owner.nickname} username={owner.username} />,
          text: ({ owner }) => owner.nickname || owner.username,
        },
        {
          source: 'memberCount',
          label: t.members,
          sortable: true,
          render: ({ memberCount, memberLimit }) => `${number(memberCount)} / ${number(memberLimit)}`,
        },
        {
          source: 'visibility',
          label: t.visibility,
          phone: 'hidden',
          render: (row) => visibilityOf(row.visibility),
          text: (row) => visibilityOf(row.visibility),
        },
        {
          source: 'joinPolicy',
          label: t.joining,
          phone: 'hidden',
          render: (row) => policyOf(row.joinPolicy),
          text: (row) => policyOf(row.joinPolicy),
        },
        {
          source: 'status',
          render: ({ status }) => <EnumStatus of="orgStatus" value={status} />,
          text: ({ status }) => statusOf(status),
        },
        { source: 'createdAt', sortable: true },
      ]}
    />
  )
}
