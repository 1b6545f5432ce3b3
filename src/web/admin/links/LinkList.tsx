/** Links between accounts: a user switches to another account without its password. Administrators propose and delete them. */

import { Add, LinkOff } from '@mui/icons-material'
import { Typography } from '@mui/material'

import { call } from '../../api/client.ts'
import type { AdminAccountLink } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { BulkAction } from '../../ui/BulkAction.tsx'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { UserPicker } from '../../ui/pickers.tsx'
import { searchFilter, timeFilters } from '../../ui/table/filters.tsx'
import { Table } from '../../ui/table/Table.tsx'
import { useForm } from '../../ui/use-form.tsx'

const words = texts({
  en: {
    title: 'Account links',
    empty: 'No accounts are linked',
    emptyText:
      'With a link, a user can switch to another account, for example that of a reception desk, without its password.',
    from: 'Who may switch',
    to: 'To this account',
    propose: 'Propose a link',
    proposeText: 'The link opens nothing until the user of the linked account accepts it. They are notified.',
    proposed: 'The link is proposed. The user of the linked account must accept it.',
    delete: 'Delete links',
    deleteTitle: (n: number) => (n === 1 ? 'Delete this link?' : `Delete ${n} links?`),
    deleteText: 'Sessions that were opened by the links end at once. Both users are notified.',
    deleted: (n: number) => (n === 1 ? 'The link is deleted.' : `${n} links are deleted.`),
  },
  zh: {
    title: '账号关联',
    empty: '还没有关联的账号',
    emptyText: '关联后，用户无需密码即可切换到另一个账号，例如前台的账号。',
    from: '可切换的用户',
    to: '切换到的账号',
    propose: '提议关联',
    proposeText: '被关联账号的用户接受之前，关联不生效。对方会收到通知。',
    proposed: '已提议关联，须由被关联账号的用户接受。',
    delete: '删除关联',
    deleteTitle: (n: number) => (n === 1 ? '删除此关联？' : `删除 ${n} 个关联？`),
    deleteText: '通过关联打开的会话会立即结束，双方都会收到通知。',
    deleted: (n: number) => `已删除 ${n} 个关联。`,
  },
})

export default function LinkList() {
  const t = useTexts(words)
  const may = useMay()
  return (
    <Table
      operation="admin.links.list"
      title={t.title}
      sort="-createdAt"
      empty={{ icon: LinkOff, title: t.empty, text: t.emptyText, action: <Propose /> }}
      actions={<Propose />}
      filters={[
        searchFilter,
        { source: 'status', kind: 'enum', of: 'linkStatus', always: true },
        { source: 'userId', kind: 'user' },
        ...timeFilters,
      ]}
      bulk={may('admin.links.delete') && <DeleteLinks />}
      columns={[
        {
          source: 'ownerUserId',
          kind: 'user',
          label: t.from,
          user: ({ ownerUserId, ownerNickname }) => ({ id: ownerUserId, nickname: ownerNickname }),
        },
        {
          source: 'linkedUserId',
          kind: 'user',
          label: t.to,
          user: ({ linkedUserId, nickname }) => ({ id: linkedUserId, nickname }),
        },
        { source: 'status', kind: 'enum', of: 'linkStatus' },
        { source: 'createdAt', kind: 'time', sortable: true },
      ]}
    />
  )
}

function DeleteLinks() {
  const t = useTexts(words)
  return (
    <BulkAction
      label={t.delete}
      icon={<LinkOff />}
      title={t.deleteTitle}
      text={t.deleteText}
      run={(id) => call('admin.links.delete', { params: { linkId: Number(id) } })}
      done={t.deleted}
      nameOf={({ ownerNickname, nickname }: AdminAccountLink) => `${ownerNickname} → ${nickname}`}
    />
  )
}

function Propose() {
  const t = useTexts(words)
  const may = useMay()
  if (!may('admin.links.propose') || !may('admin.users.list')) return null
  return (
    <DialogButton label={t.propose} icon={<Add />} isNew>
      {(close) => <ProposeDialog onClose={close} />}
    </DialogButton>
  )
}

function ProposeDialog({ onClose }: { onClose: () => void }) {
  const t = useTexts(words)
  const form = useForm(
    'admin.links.propose',
    { ownerUserId: null as number | null, linkedUserId: null as number | null },
    {
      done: t.proposed,
      refreshes: ['admin.links', 'operationLog'],
      input: ({ ownerUserId, linkedUserId }) => ({ body: { ownerUserId: ownerUserId!, linkedUserId: linkedUserId! } }),
      onDone: onClose,
    },
  )
  return (
    <FormDialog form={form} title={t.propose} action={t.propose} onClose={onClose}>
      <Typography>{t.proposeText}</Typography>
      <UserPicker {...form.pick('ownerUserId', { label: t.from })} autoFocus />
      <UserPicker {...form.pick('linkedUserId', { label: t.to })} />
    </FormDialog>
  )
}
