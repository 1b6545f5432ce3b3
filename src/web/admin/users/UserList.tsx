/** All users, with filters, and buttons that disable or enable the selected ones. */

import { Block, CheckCircle } from '@mui/icons-material'
import { DateTimeInput, SearchInput } from 'react-admin'

import { call } from '../../api/client.ts'
import type { UserAdmin } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { AdminTable } from '../../ui/AdminTable.tsx'
import { BulkAction } from '../../ui/BulkAction.tsx'
import { EnumInput } from '../../ui/enums.tsx'
import { OrgFilter } from '../../ui/pickers.tsx'
import { EnumStatus } from '../../ui/Status.tsx'
import { nameOf, UserLink } from '../../ui/UserLink.tsx'
import { statusWords } from './words.ts'

const words = texts({
  en: {
    title: 'Users',
    create: 'New user',
    name: 'User',
    role: 'Role',
    devices: 'Devices',
    orgs: 'Organizations',
    kind: 'Rights',
    secured: 'Account',
    member: 'Member of',
  },
  zh: {
    title: '用户',
    create: '新建用户',
    name: '用户',
    role: '角色',
    devices: '设备',
    orgs: '组织',
    kind: '权限',
    secured: '账号',
    member: '所属组织',
  },
})

export default function UserList() {
  const t = useTexts(words)
  const may = useMay()
  const statusOf = useEnum('userStatus')
  const filters = [
    <SearchInput key="keyword" source="keyword" alwaysOn data-search />,
    <EnumInput key="status" source="status" of="userStatus" alwaysOn />,
    <EnumInput key="role" source="role" of="rights" label={t.kind} />,
    <EnumInput key="identity" source="identity" of="identity" label={t.secured} />,
    <OrgFilter key="orgId" source="orgId" label={t.member} />,
    <DateTimeInput key="from" source="from" />,
    <DateTimeInput key="to" source="to" />,
  ]
  return (
    <AdminTable<UserAdmin>
      title={t.title}
      createLabel={t.create}
      filters={filters}
      sort={{ field: 'createdAt', order: 'DESC' }}
      {...(may('admin.users.changeStatus') && { bulk: <BulkStatus /> })}
      columns={[
        {
          source: 'username',
          label: t.name,
          sortable: true,
          render: ({ id, nickname, username, avatarUrl }) => (
            <UserLink id={id} nickname={nickname} username={username} avatarUrl={avatarUrl} linked={false} />
          ),
        },
        { source: 'id', exportOnly: true },
        { source: 'nickname', exportOnly: true },
        { source: 'email', exportOnly: true },
        { source: 'phone', exportOnly: true },
        { source: 'roleName', label: t.role },
        {
          source: 'status',
          render: ({ status }) => <EnumStatus of="userStatus" value={status} />,
          text: ({ status }) => statusOf(status),
        },
        { source: 'membershipCount', label: t.orgs, phone: 'hidden' },
        { source: 'deviceCount', label: t.devices, exportOnly: true },
        { source: 'lastLoginAt', sortable: true },
        { source: 'createdAt', sortable: true },
      ]}
    />
  )
}

function BulkStatus() {
  const t = useTexts(statusWords)
  const change = (status: 'ACTIVE' | 'DISABLED') => (id: string | number) =>
    call('admin.users.changeStatus', { params: { userId: Number(id) }, body: { status } })
  return (
    <>
      <BulkAction
        label={t.disable}
        icon={<Block />}
        title={t.disableMany}
        text={t.disableText}
        run={change('DISABLED')}
        done={t.disabledMany}
        nameOf={nameOf}
      />
      <BulkAction
        label={t.enable}
        icon={<CheckCircle />}
        title={t.enableMany}
        text={t.enableText}
        run={change('ACTIVE')}
        done={t.enabledMany}
        nameOf={nameOf}
      />
    </>
  )
}
