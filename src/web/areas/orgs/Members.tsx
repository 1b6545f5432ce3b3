/** Members of an organization: search, roles, names in the organization, removal. */

import {
  Badge as BadgeIcon,
  Chat,
  Groups,
  ManageAccounts,
  MoreVert,
  PersonAdd,
  PersonRemove,
} from '@mui/icons-material'
import { Chip, TextField } from '@mui/material'
import { useState } from 'react'

import { useAction } from '../../api/hooks.ts'
import { usePages } from '../../api/pages.ts'
import type { Member, Organization } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { date } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay, useSession } from '../../session/session.ts'
import { ActionDialog } from '../../ui/ActionDialog.tsx'
import { EmptyState } from '../../ui/Answer.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { IconMenu, MenuEntry } from '../../ui/MenuButton.tsx'
import { Section } from '../../ui/parts.tsx'
import { Named } from '../../ui/Portrait.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { useSettled } from '../../ui/use-settled.ts'
import { RoleField, useMayGiveRoles } from './RoleField.tsx'

const words = texts({
  en: {
    ...common.en,
    members: 'Members',
    search: 'Search members',
    none: 'No member has this name.',
    alone: 'Nobody else is here',
    since: (role: string, day: string) => (role === '' ? `Member since ${day}` : `${role}, since ${day}`),
    you: 'You',
    factor: 'Second factor',
    noFactor: 'No second factor',
    more: (name: string) => `Actions for ${name}`,
    role: 'Change the role',
    roleOf: (name: string) => `Role of ${name}`,
    roleDone: 'The role is changed.',
    nickname: 'Change the name',
    nicknameOf: (name: string) => `Name of ${name} in this organization`,
    nicknameHelp: 'Only members of this organization see it. Leave it empty for the nickname of the account.',
    nicknameDone: 'The name is changed.',
    chat: 'Write a message',
    contact: 'Add to my contacts',
    contactDone: 'The contact request was sent.',
    removeOf: (name: string) => `Remove ${name}?`,
    removeText:
      'They lose access to everything of the organization at once and are notified. Codes, assets and activities of the organization stay.',
    removed: 'The member is removed.',
  },
  zh: {
    ...common.zh,
    members: '成员',
    search: '搜索成员',
    none: '没有这个名称的成员。',
    alone: '还没有其他成员',
    since: (role: string, day: string) => (role === '' ? `${day}加入` : `${role}，${day}加入`),
    you: '我',
    factor: '第二重验证',
    noFactor: '无第二重验证',
    more: (name: string) => `对${name}的操作`,
    role: '更改角色',
    roleOf: (name: string) => `${name}的角色`,
    roleDone: '角色已更改。',
    nickname: '更改名称',
    nicknameOf: (name: string) => `${name}在本组织中的名称`,
    nicknameHelp: '仅本组织成员可见。留空则使用账号昵称。',
    nicknameDone: '名称已更改。',
    chat: '发消息',
    contact: '加为联系人',
    contactDone: '联系人申请已发送。',
    removeOf: (name: string) => `移除${name}？`,
    removeText: '对方会立即失去对该组织所有内容的访问权限，并收到通知。组织的二维码、资产和活动会保留。',
    removed: '成员已移除。',
  },
})

export function Members({ org }: { org: Organization }) {
  const t = useTexts(words)
  const [keyword, setKeyword] = useState('')
  const settled = useSettled(keyword.trim())
  const query = usePages('orgs.members', {
    params: { orgId: org.id },
    ...(settled !== '' && { query: { keyword: settled } }),
  })
  return (
    <Section>
      <TextField
        type="search"
        fullWidth
        label={t.search}
        value={keyword}
        onChange={({ target }) => setKeyword(target.value)}
        sx={{ mb: 1 }}
      />
      <Rows
        query={query}
        label={t.members}
        keyOf={({ userId }) => userId}
        empty={settled === '' ? <EmptyState icon={Groups} title={t.alone} /> : t.none}
      >
        {(member) => <MemberRow org={org} member={member} />}
      </Rows>
    </Section>
  )
}

type Open = 'role' | 'nickname' | 'remove'

function MemberRow({ org, member }: { org: Organization; member: Member }) {
  const t = useTexts(words)
  const may = useMay()
  const { user } = useSession()
  const [open, setOpen] = useState<Open>()
  const contact = useAction('contacts.request', { done: t.contactDone, refreshes: ['contacts'] })
  const { userId, nickname, avatarUrl, roleName, joinedAt, isOwner, secondFactor } = member
  const isMe = userId === user.id
  const mayChange = may('orgs.changeMember', org)
  const mayGiveRoles = useMayGiveRoles(org)
  const entries = [
    !isMe && may('messages.send') && (
      <MenuEntry key="chat" icon={<Chat />} text={t.chat} to={`/chats/with/${userId}`} />
    ),
    !isMe && may('contacts.request') && (
      <MenuEntry
        key="contact"
        icon={<PersonAdd />}
        text={t.contact}
        onClick={() => contact.mutate({ body: { userId } })}
      />
    ),
    mayChange && !isMe && !isOwner && mayGiveRoles && (
      <MenuEntry key="role" icon={<ManageAccounts />} text={t.role} onClick={() => setOpen('role')} />
    ),
    mayChange && (!isOwner || isMe) && (
      <MenuEntry key="nickname" icon={<BadgeIcon />} text={t.nickname} onClick={() => setOpen('nickname')} />
    ),
    may('orgs.removeMember', org) && !isMe && !isOwner && (
      <MenuEntry key="remove" icon={<PersonRemove />} text={t.remove} onClick={() => setOpen('remove')} isDestructive />
    ),
  ].filter((entry) => entry !== false)
  const close = () => setOpen(undefined)
  return (
    <>
      <Row
        title={
          <Named name={nickname} url={avatarUrl} details={t.since(roleName, date(joinedAt))}>
            {nickname} {isMe && <Chip size="small" label={t.you} sx={{ ml: 0.5 }} />}
            {secondFactor !== undefined && (
              <Chip
                size="small"
                variant="outlined"
                color={secondFactor ? 'success' : org.requireSecondFactor ? 'error' : 'default'}
                label={secondFactor ? t.factor : t.noFactor}
                sx={{ ml: 0.5 }}
              />
            )}
          </Named>
        }
        actions={
          entries.length > 0 && (
            <IconMenu label={t.more(nickname)} icon={<MoreVert />} sx={{ width: 44, height: 44 }}>
              {entries}
            </IconMenu>
          )
        }
      />
      {open === 'role' && <RoleDialog org={org} member={member} onClose={close} />}
      {open === 'nickname' && <NicknameDialog org={org} member={member} onClose={close} />}
      {open === 'remove' && <RemoveDialog org={org} member={member} onClose={close} />}
    </>
  )
}

interface DialogProps {
  org: Organization
  member: Member
  onClose: () => void
}

function RoleDialog({ org, member, onClose }: DialogProps) {
  const t = useTexts(words)
  const form = useForm(
    'orgs.changeMember',
    { roleId: member.roleId },
    {
      input: ({ roleId }) => ({ params: { orgId: org.id, userId: member.userId }, body: { roleId: roleId! } }),
      done: t.roleDone,
      onDone: onClose,
    },
  )
  return (
    <FormDialog form={form} title={t.roleOf(member.nickname)} action={t.save} maxWidth="xs" onClose={onClose}>
      <RoleField org={org} {...form.pick('roleId')} required />
    </FormDialog>
  )
}

function NicknameDialog({ org, member, onClose }: DialogProps) {
  const t = useTexts(words)
  const form = useForm(
    'orgs.changeMember',
    { nickname: member.nickname },
    {
      input: (body) => ({ params: { orgId: org.id, userId: member.userId }, body }),
      done: t.nicknameDone,
      onDone: onClose,
    },
  )
  return (
    <FormDialog form={form} title={t.nicknameOf(member.nickname)} action={t.save} maxWidth="xs" onClose={onClose}>
      <TextField {...form.text('nickname', { label: t.name, help: t.nicknameHelp })} />
    </FormDialog>
  )
}

function RemoveDialog({ org, member, onClose }: DialogProps) {
  const t = useTexts(words)
  return (
    <ActionDialog
      operation="orgs.removeMember"
      input={{ params: { orgId: org.id, userId: member.userId } }}
      title={t.removeOf(member.nickname)}
      text={t.removeText}
      action={t.remove}
      done={t.removed}
      onClose={onClose}
    />
  )
}
