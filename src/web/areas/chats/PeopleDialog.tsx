/** Chooses contacts, or members of an organization. */

import { CheckBox, CheckBoxOutlineBlank, PersonSearch } from '@mui/icons-material'
import { Avatar, Button, List, ListItem, ListItemAvatar, ListItemButton, ListItemText } from '@mui/material'
import { useState } from 'react'
import { Link } from 'react-router'

import { usePages } from '../../api/pages.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useSession } from '../../session/session.ts'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { SearchField } from '../../ui/SearchField.tsx'

const words = texts({
  en: {
    search: 'Search by name',
    none: 'No contacts yet',
    noneText: 'Add people under “Contacts” first, for example by their card.',
    notFound: 'Nobody has this name',
    contacts: 'Open contacts',
    chosen: (n: number, action: string) => (n === 0 ? action : `${action} (${n})`),
  },
  zh: {
    search: '按名称搜索',
    none: '还没有联系人',
    noneText: '请先在“联系人”中添加，例如扫描对方的名片。',
    notFound: '没有这个名称的人',
    contacts: '打开联系人',
    chosen: (n: number, action: string) => (n === 0 ? action : `${action}（${n}）`),
  },
})

export interface PeopleDialogProps {
  title: string
  /** The text of the button. If undefined, there is none, and a click on a person chooses that one. */
  action?: string
  isBusy?: boolean
  error?: unknown
  /** Already members: they are not offered. */
  without?: readonly number[]
  /** The organization whose members are offered, instead of contacts. */
  orgId?: number | null
  onChosen: (userIds: number[]) => void
  onClose: () => void
}

export function PeopleDialog(props: PeopleDialogProps) {
  const { title, action, isBusy, error, without, orgId, onChosen, onClose } = props
  const t = useTexts(words)
  const [chosen, setChosen] = useState<readonly number[]>([])
  return (
    <FormDialog
      isOpen
      title={title}
      action={action && t.chosen(chosen.length, action)}
      isDisabled={chosen.length === 0}
      isBusy={isBusy ?? false}
      error={error}
      onClose={onClose}
      onSubmit={() => chosen.length > 0 && onChosen([...chosen])}
      maxWidth="xs"
    >
      <People
        autoFocus
        chosen={chosen}
        isSingle={action === undefined}
        orgId={orgId ?? null}
        without={without ?? []}
        onChange={(next) => (action === undefined ? onChosen([...next]) : setChosen(next))}
      />
    </FormDialog>
  )
}

export interface PeopleProps {
  chosen: readonly number[]
  isSingle: boolean
  orgId: number | null
  without: readonly number[]
  autoFocus?: boolean
  onChange: (userIds: readonly number[]) => void
}

/** The list inside the dialog, also for the form of a new group. */
export function People({ chosen, isSingle, orgId, without, autoFocus, onChange }: PeopleProps) {
  const t = useTexts(words)
  const { user } = useSession()
  const [keyword, setKeyword] = useState('')
  const query = keyword === '' ? {} : { keyword }
  const contacts = usePages('contacts.list', { query: { ...query, blocked: false } }, { enabled: orgId === null })
  const members = usePages('orgs.members', { params: { orgId: orgId ?? 0 }, query }, { enabled: orgId !== null })
  const list = orgId === null ? contacts : members
  const people = (
    list.items as readonly { userId: number; nickname: string; avatarUrl: string | null; remark?: string }[] | undefined
  )
    ?.filter(({ userId }) => userId !== user.id && !without.includes(userId))
    .map(({ userId, nickname, avatarUrl, remark }) => ({ userId, avatarUrl, name: remark || nickname }))
  const toggle = (userId: number) =>
    onChange(isSingle ? [userId] : chosen.includes(userId) ? chosen.filter((id) => id !== userId) : [...chosen, userId])
  return (
    <>
      <SearchField label={t.search} value={keyword} onSearch={setKeyword} autoFocus={autoFocus ?? false} />
      {list.error !== null && <ErrorNotice error={list.error} onRetry={list.retry} />}
      {people === undefined && list.error === null && <Loading />}
      {people?.length === 0 && (
        <EmptyState
          icon={PersonSearch}
          title={keyword === '' ? t.none : t.notFound}
          {...(keyword === '' && orgId === null && { text: t.noneText })}
          action={
            keyword === '' &&
            orgId === null && (
              <Button component={Link} to="/contacts">
                {t.contacts}
              </Button>
            )
          }
        />
      )}
      <List dense disablePadding>
        {people?.map(({ userId, name, avatarUrl }) => (
          <ListItem key={userId} disablePadding>
            <ListItemButton
              onClick={() => toggle(userId)}
              sx={{ minHeight: 52 }}
              {...(!isSingle && { role: 'checkbox', 'aria-checked': chosen.includes(userId) })}
            >
              <ListItemAvatar>
                <Avatar src={avatarUrl ?? ''} alt="">
                  {name.slice(0, 1)}
                </Avatar>
              </ListItemAvatar>
              <ListItemText primary={name} />
              {!isSingle && (chosen.includes(userId) ? <CheckBox color="primary" /> : <CheckBoxOutlineBlank />)}
            </ListItemButton>
          </ListItem>
        ))}
      </List>
      <MoreButton shown={list.items?.length ?? 0} total={list.total} onMore={list.more} isLoading={list.isLoading} />
    </>
  )
}
