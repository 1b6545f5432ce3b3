/** Chooses contacts, or members of an organization. */

import { CheckBox, CheckBoxOutlineBlank, PersonSearch } from '@mui/icons-material'
import { Button, FormHelperText, List, ListItem, ListItemAvatar, ListItemButton, ListItemText } from '@mui/material'
import { useState } from 'react'
import { Link } from 'react-router'

import { usePages } from '../../api/pages.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useSession } from '../../session/session.ts'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import type { Form } from '../../ui/use-form.tsx'
import { ConversationPortrait } from './ConversationPortrait.tsx'
import { words as chatWords } from './words.ts'

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

interface Offered {
  /** The organization whose members are offered, instead of contacts. */
  orgId?: number | null
  /** The user is offered, as the addressee of notes. */
  withNotes?: boolean
  /** Already members: they are not offered. */
  without?: readonly number[]
}

export interface PeopleDialogProps extends Offered {
  form: Form<{ userIds: readonly number[] }>
  title: string
  action: string
  onClose: () => void
}

/** Chooses several. */
export function PeopleDialog({ form, title, action, onClose, ...offered }: PeopleDialogProps) {
  const t = useTexts(words)
  const { userIds } = form.values
  return (
    <FormDialog
      form={form}
      title={title}
      action={t.chosen(userIds.length, action)}
      isDisabled={userIds.length === 0}
      onClose={onClose}
      maxWidth="xs"
    >
      <People
        {...offered}
        autoFocus
        chosen={userIds}
        error={form.problem('userIds')}
        onChange={(next) => form.set({ userIds: next })}
      />
    </FormDialog>
  )
}

export interface PersonDialogProps {
  title: string
  onChosen: (userId: number) => void
  /** With it the notes of the user can be chosen, too. */
  onNotes?: () => void
  onClose: () => void
}

/** A click on a person chooses that one. */
export function PersonDialog({ title, onChosen, onNotes, onClose }: PersonDialogProps) {
  const { user } = useSession()
  return (
    <FormDialog title={title} onClose={onClose} maxWidth="xs">
      <People
        autoFocus
        withNotes={onNotes !== undefined}
        onChange={([userId]) => (userId === user.id ? onNotes?.() : onChosen(userId!))}
      />
    </FormDialog>
  )
}

export interface PeopleProps extends Offered {
  /** Undefined: only one is chosen. */
  chosen?: readonly number[]
  error?: string | undefined
  autoFocus?: boolean
  onChange: (userIds: readonly number[]) => void
}

/** The list inside the dialogs, also for the form of a new group. */
export function People({ orgId = null, withNotes = false, without, chosen, error, autoFocus, onChange }: PeopleProps) {
  const t = useTexts(words)
  const { notes } = useTexts(chatWords)
  const { user } = useSession()
  const [keyword, setKeyword] = useState('')
  const query = keyword === '' ? {} : { keyword }
  const contacts = usePages('contacts.list', { query: { ...query, blocked: false } }, { enabled: orgId === null })
  const members = usePages('orgs.members', { params: { orgId: orgId ?? 0 }, query }, { enabled: orgId !== null })
  const list = orgId === null ? contacts : members
  const people = (
    list.items as readonly { userId: number; nickname: string; avatarUrl: string | null; remark?: string }[] | undefined
  )
    ?.filter(({ userId }) => userId !== user.id && !without?.includes(userId))
    .map(({ userId, nickname, avatarUrl, remark }) => ({ userId, avatarUrl, name: remark || nickname }))
  const ownNotes = { userId: user.id, avatarUrl: null, name: notes }
  const rows = withNotes && keyword === '' ? [ownNotes, ...(people ?? [])] : people
  const toggle = (userId: number) =>
    onChange(chosen?.includes(userId) ? chosen.filter((id) => id !== userId) : [...(chosen ?? []), userId])
  return (
    <>
      <SearchField label={t.search} value={keyword} onSearch={setKeyword} autoFocus={autoFocus ?? false} />
      {error !== undefined && <FormHelperText error>{error}</FormHelperText>}
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
        {rows?.map(({ userId, name, avatarUrl }) => (
          <ListItem key={userId} disablePadding>
            <ListItemButton
              onClick={() => toggle(userId)}
              sx={{ minHeight: 52 }}
              {...(chosen && { role: 'checkbox', 'aria-checked': chosen.includes(userId) })}
            >
              <ListItemAvatar>
                <ConversationPortrait name={name} url={avatarUrl} isNotes={userId === user.id} />
              </ListItemAvatar>
              <ListItemText primary={name} />
              {chosen && (chosen.includes(userId) ? <CheckBox color="primary" /> : <CheckBoxOutlineBlank />)}
            </ListItemButton>
          </ListItem>
        ))}
      </List>
      <MoreButton shown={list.items?.length ?? 0} total={list.total} onMore={list.more} isLoading={list.isLoading} />
    </>
  )
}
