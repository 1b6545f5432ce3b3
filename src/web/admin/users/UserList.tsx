/** All users, with filters, and buttons that disable or enable the selected ones. */

import { Block, CheckCircle, UploadFile } from '@mui/icons-material'
import { Button } from '@mui/material'
import { Link } from 'react-router'

import { call } from '../../api/client.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { BulkAction } from '../../ui/BulkAction.tsx'
import { searchFilter, timeFilters } from '../../ui/table/filters.tsx'
import { Table } from '../../ui/table/Table.tsx'
import { nameOf } from '../../ui/UserLink.tsx'
import { statusWords } from './words.ts'

const words = texts({
  en: {
    title: 'Users',
    create: 'New user',
    import: 'Import',
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
    import: '导入',
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
  return (
    <Table
      operation="admin.users.list"
      title={t.title}
      create={{ to: '/admin/users/create', needs: 'admin.users.create', label: t.create }}
      actions={
        may('admin.users.import') && (
          <Button component={Link} to="/admin/users/import" startIcon={<UploadFile />}>
            {t.import}
          </Button>
        )
      }
      opens={{ to: ({ id }) => `/admin/users/${id}/show`, needs: 'admin.users.get' }}
      sort="-createdAt"
      filters={[
        searchFilter,
        { source: 'status', kind: 'enum', of: 'userStatus', always: true },
        { source: 'role', kind: 'enum', of: 'rights', label: t.kind },
        { source: 'identity', kind: 'enum', of: 'identity', label: t.secured },
        { source: 'orgId', kind: 'org', label: t.member },
        ...timeFilters,
      ]}
      bulk={may('admin.users.changeStatus') && <BulkStatus />}
      columns={[
        {
          source: 'username',
          label: t.name,
          sortable: true,
          kind: 'user',
          user: ({ id, nickname, username, avatarUrl }) => ({ id, nickname, username, avatarUrl, linked: false }),
          text: ({ username }) => username,
        },
        { source: 'id', exportOnly: true },
        { source: 'nickname', exportOnly: true },
        { source: 'email', exportOnly: true },
        { source: 'phone', exportOnly: true },
        { source: 'roleName', label: t.role },
        { source: 'status', kind: 'enum', of: 'userStatus' },
        { source: 'membershipCount', kind: 'count', label: t.orgs, phone: 'hidden' },
        { source: 'deviceCount', label: t.devices, exportOnly: true },
        { source: 'lastLoginAt', kind: 'time', sortable: true },
        { source: 'createdAt', kind: 'time', sortable: true },
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
