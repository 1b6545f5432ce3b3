/** Links between accounts: a user switches to another account without its password. Administrators propose and delete them. */

import { Add, LinkOff } from '@mui/icons-material'
import { Button, Typography } from '@mui/material'
import { useState } from 'react'

import { call } from '../../api/client.ts'
import { useAction } from '../../api/hooks.ts'
import type { AdminAccountLink } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { BulkAction } from '../../ui/BulkAction.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { UserPicker } from '../../ui/pickers.tsx'
import { searchFilter, timeFilters } from '../../ui/table/filters.tsx'
import { Table } from '../../ui/table/Table.tsx'

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
  const [isOpen, setOpen] = useState(false)
  const [owner, setOwner] = useState<number | null>(null)
  const [linked, setLinked] = useState<number | null>(null)
  const propose = useAction('admin.links.propose', {
    done: t.proposed,
    quiet: true,
    refreshes: ['admin.links', 'operationLog'],
    onDone: () => setOpen(false),
  })
  if (!may('admin.links.propose') || !may('admin.users.list')) return null
  return (
    <>
      <Button
        variant="contained"
        size="small"
        startIcon={<Add />}
        data-create
        onClick={() => {
          propose.reset()
          setOwner(null)
          setLinked(null)
          setOpen(true)
        }}
      >
        {t.propose}
      </Button>
      <FormDialog
        isOpen={isOpen}
        title={t.propose}
        action={t.propose}
        isBusy={propose.isPending}
        error={propose.error}
        onSubmit={() => {
          if (owner !== null && linked !== null) propose.mutate({ body: { ownerUserId: owner, linkedUserId: linked } })
        }}
        onClose={() => setOpen(false)}
      >
        <Typography>{t.proposeText}</Typography>
        <UserPicker label={t.from} value={owner} onChange={setOwner} required autoFocus />
        <UserPicker label={t.to} value={linked} onChange={setLinked} required />
      </FormDialog>
    </>
  )
}
