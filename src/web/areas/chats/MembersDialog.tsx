/** A group: name and picture, members with their roles, and leaving it. */

import { GroupAdd, MoreVert } from '@mui/icons-material'
import {
  Button,
  Chip,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  FormControlLabel,
  IconButton,
  List,
  ListItem,
  ListItemAvatar,
  ListItemText,
  Menu,
  MenuItem,
  Stack,
  Switch,
  TextField,
  Typography,
} from '@mui/material'
import { useState } from 'react'
import { useNavigate } from 'react-router'

import { useAction } from '../../api/hooks.ts'
import type { Conversation, GroupMember } from '../../api/types.ts'
import { leave } from '../../browser/unsaved.ts'
import { common } from '../../i18n/common.ts'
import { labelled, withNote } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay, useSession } from '../../session/session.ts'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { Form } from '../../ui/Form.tsx'
import { PictureField } from '../../ui/PictureField.tsx'
import { Portrait } from '../../ui/Portrait.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { useIsPhone } from '../../ui/use-is-phone.ts'
import { PeopleDialog } from './PeopleDialog.tsx'
import { words as shared } from './words.ts'

const words = texts({
  en: {
    ...common.en,
    name: 'Name of the group',
    renamed: 'Group renamed.',
    changed: 'Picture changed.',
    membersPin: 'Members may pin messages',
    mentionAll: 'Members may mention everybody with @all',
    mentionSaved: 'Saved.',
    add: 'Add members',
    added: 'Members added.',
    follows: 'This group has all members of its organization. It changes with them.',
    actions: (name: string) => `Actions for ${name}`,
    makeAdmin: 'Make administrator',
    makeMember: 'Make ordinary member',
    roleSaved: 'Role changed.',
    own: 'Transfer the group',
    ownText: (name: string) =>
      `${name} becomes the owner of the group, and you become an ordinary member. Only the new owner can give it back.`,
    owned: 'Group transferred.',
    remove: 'Remove from the group',
    removeText: (name: string) => `${name} gets no new messages of this group, and keeps the history until now.`,
    removed: 'Member removed.',
    leave: 'Leave group',
    leaveText:
      'You get no new messages of this group, and keep the history until now. If you own the group, it passes to an administrator or to the member who has been in it longest. With its last member it ends.',
    left: 'You left the group.',
    roles: { OWNER: 'Owner', ADMIN: 'Administrator', MEMBER: '' },
  },
  zh: {
    ...common.zh,
    name: '群名称',
    renamed: '群名已修改。',
    changed: '头像已更换。',
    membersPin: '允许成员置顶消息',
    mentionAll: '允许成员 @所有人',
    mentionSaved: '已保存。',
    add: '添加成员',
    added: '成员已添加。',
    follows: '此群包含组织的全部成员，并随组织成员变化。',
    actions: (name: string) => `“${name}”的操作`,
    makeAdmin: '设为管理员',
    makeMember: '设为普通成员',
    roleSaved: '角色已更改。',
    own: '转让群主',
    ownText: (name: string) => `“${name}”将成为群主，你将成为普通成员。只有新群主可以再转让。`,
    owned: '群主已转让。',
    remove: '移出群聊',
    removeText: (name: string) => `“${name}”将不再收到此群的新消息，此前的记录会保留。`,
    removed: '成员已移出。',
    leave: '退出群聊',
    leaveText:
      '你将不再收到此群的新消息，此前的记录会保留。如果你是群主，群将转给管理员或入群最久的成员。最后一名成员退出后群聊解散。',
    left: '你已退出群聊。',
    roles: { OWNER: '群主', ADMIN: '管理员', MEMBER: '' },
  },
})

type Question = { kind: 'own' | 'remove'; member: GroupMember } | { kind: 'leave' }

export interface MembersDialogProps {
  conversation: Conversation
  members: readonly GroupMember[]
  onClose: () => void
}

export function MembersDialog({ conversation, members, onClose }: MembersDialogProps) {
  const t = useTexts(words)
  const s = useTexts(shared)
  const may = useMay()
  const { user } = useSession()
  const isPhone = useIsPhone()
  const [open, setOpen] = useState<Question | 'add'>()
  const [chosen, setChosen] = useState<{ anchor: HTMLElement; member: GroupMember }>()
  const { id, title } = conversation
  const group = conversation.group!
  const { role } = group
  const isManager = (role === 'OWNER' || role === 'ADMIN') && may('groups.update')
  const mayChange = role !== null && !group.followsOrg
  const refreshes = ['groups', 'conversations']
  const setRole = useAction('groups.changeRole', { refreshes, done: t.roleSaved })
  const mayRemove = (member: GroupMember) => role === 'OWNER' || (role === 'ADMIN' && member.role === 'MEMBER')
  const member = chosen?.member
  const choose = (action: () => void) => () => {
    setChosen(undefined)
    action()
  }
  // Of the name.
  const close = () => leave(onClose)
  return (
    <Dialog open onClose={close} fullWidth maxWidth="sm" fullScreen={isPhone} aria-labelledby="group-title">
      <DialogTitle id="group-title">{title}</DialogTitle>
      <DialogContent>
        {isManager && <Appearance conversation={conversation} />}
        {group.followsOrg && (
          <Typography color="text.secondary" sx={{ mb: 1 }}>
            {t.follows}
          </Typography>
        )}
        <Stack direction="row" sx={{ alignItems: 'center', mt: 1 }}>
          <Typography variant="h3" sx={{ flex: 1 }}>
            {s.members(group.memberCount)}
          </Typography>
          {mayChange && may('groups.addMembers') && (
            <Button startIcon={<GroupAdd />} onClick={() => setOpen('add')}>
              {t.add}
            </Button>
          )}
        </Stack>
        <List disablePadding>
          {members.map((each) => (
            <Member
              key={each.userId}
              member={each}
              onActions={
                mayChange && each.userId !== user.id && mayRemove(each)
                  ? (anchor) => setChosen({ anchor, member: each })
                  : undefined
              }
            />
          ))}
        </List>
      </DialogContent>
      <DialogActions sx={{ justifyContent: 'space-between' }}>
        {mayChange ? (
          <Button color="error" onClick={() => setOpen({ kind: 'leave' })}>
            {t.leave}
          </Button>
        ) : (
          <span />
        )}
        <Button onClick={close}>{t.close}</Button>
      </DialogActions>
      <Menu anchorEl={chosen?.anchor ?? null} open={chosen !== undefined} onClose={() => setChosen(undefined)}>
        {role === 'OWNER' && member !== undefined && (
          <MenuItem
            onClick={choose(() =>
              setRole.mutate({
                params: { id, userId: member.userId },
                body: { role: member.role === 'ADMIN' ? 'MEMBER' : 'ADMIN' },
              }),
            )}
          >
            {member.role === 'ADMIN' ? t.makeMember : t.makeAdmin}
          </MenuItem>
        )}
        {role === 'OWNER' && member !== undefined && (
          <MenuItem onClick={choose(() => setOpen({ kind: 'own', member }))}>{t.own}</MenuItem>
        )}
        {member !== undefined && (
          <MenuItem onClick={choose(() => setOpen({ kind: 'remove', member }))}>{t.remove}</MenuItem>
        )}
      </Menu>
      {open === 'add' && <AddDialog conversation={conversation} members={members} onClose={() => setOpen(undefined)} />}
      {open !== undefined && open !== 'add' && (
        <QuestionDialog
          conversation={conversation}
          question={open}
          onClose={() => setOpen(undefined)}
          onLeft={onClose}
        />
      )}
    </Dialog>
  )
}

function AddDialog({ conversation: { id, group }, members, onClose }: MembersDialogProps) {
  const t = useTexts(words)
  const form = useForm(
    'groups.addMembers',
    { userIds: [] as readonly number[] },
    {
      input: ({ userIds }) => ({ params: { id }, body: { userIds: [...userIds] } }),
      refreshes: ['groups', 'conversations'],
      done: t.added,
      onDone: onClose,
    },
  )
  return (
    <PeopleDialog
      form={form}
      title={t.add}
      action={t.add}
      orgId={group!.orgId}
      without={members.map(({ userId }) => userId)}
      onClose={onClose}
    />
  )
}

interface MemberProps {
  member: GroupMember
  /** Undefined if the user may do nothing with the member. */
  onActions: ((anchor: HTMLElement) => void) | undefined
}

function Member({ member, onActions }: MemberProps) {
  const t = useTexts(words)
  const s = useTexts(shared)
  const { user } = useSession()
  return (
    <ListItem
      disableGutters
      secondaryAction={
        onActions && (
          <IconButton
            edge="end"
            aria-label={t.actions(member.nickname)}
            aria-haspopup="menu"
            onClick={(event) => onActions(event.currentTarget)}
          >
            <MoreVert />
          </IconButton>
        )
      }
    >
      <ListItemAvatar>
        <Portrait name={member.nickname} url={member.avatarUrl} />
      </ListItemAvatar>
      <ListItemText
        primary={withNote(member.nickname, member.userId === user.id && s.you)}
        sx={{ flex: '0 1 auto', mr: 1 }}
      />
      {member.role !== 'MEMBER' && <Chip size="small" label={t.roles[member.role]} />}
    </ListItem>
  )
}

interface QuestionProps {
  conversation: Conversation
  question: Question
  onClose: () => void
  onLeft: () => void
}

function QuestionDialog({ conversation: { id, title }, question, onClose, onLeft }: QuestionProps) {
  const t = useTexts(words)
  const navigate = useNavigate()
  const refreshes = ['groups', 'conversations']
  const transfer = useAction('groups.transfer', { refreshes, done: t.owned, onDone: onClose })
  const remove = useAction('groups.removeMember', { refreshes, done: t.removed, onDone: onClose })
  const leave = useAction('groups.leave', {
    // The members are no longer shown to somebody who has left.
    refreshes: ['conversations.list'],
    done: t.left,
    onDone: () => {
      onLeft()
      void navigate('/chats')
    },
  })
  const confirm = () => {
    if (question.kind === 'leave') leave.mutate({ params: { id } })
    if (question.kind === 'own') transfer.mutate({ params: { id }, body: { userId: question.member.userId } })
    if (question.kind === 'remove') remove.mutate({ params: { id, userId: question.member.userId } })
  }
  return (
    <ConfirmDialog
      isOpen
      title={question.kind === 'leave' ? labelled(t.leave, title) : question.kind === 'own' ? t.own : t.remove}
      text={
        question.kind === 'leave'
          ? t.leaveText
          : question.kind === 'own'
            ? t.ownText(question.member.nickname)
            : t.removeText(question.member.nickname)
      }
      action={question.kind === 'leave' ? t.leave : question.kind === 'own' ? t.own : t.remove}
      isBusy={leave.isPending || transfer.isPending || remove.isPending}
      onConfirm={confirm}
      onClose={onClose}
    />
  )
}

/** Name and picture, for owner and administrators. */
function Appearance({ conversation: { id, title, avatarUrl, group } }: { conversation: Conversation }) {
  const t = useTexts(words)
  const params = { id }
  const refreshes = ['conversations']
  const setPicture = useAction('groups.update', { refreshes, done: t.changed })
  const setSwitch = useAction('groups.update', { refreshes, done: t.mentionSaved })
  const form = useForm(
    'groups.update',
    { name: title },
    {
      input: (body) => ({ params, body }),
      refreshes,
      done: t.renamed,
      onDone(saved) {
        form.reset({ name: saved.title })
      },
    },
  )
  return (
    <Stack spacing={1.5} sx={{ pt: 1, mb: 1 }}>
      <PictureField
        url={avatarUrl}
        name={title}
        look="person"
        type="avatar"
        isBusy={setPicture.isPending}
        onChange={(avatarFileId) => setPicture.mutate({ params, body: { avatarFileId } })}
      />
      <Form form={form} action={t.save} needsChange>
        <TextField {...form.text('name', { label: t.name })} />
      </Form>
      <FormControlLabel
        control={<Switch />}
        label={t.mentionAll}
        checked={group!.membersMentionAll}
        disabled={setSwitch.isPending}
        onChange={(_, membersMentionAll) => setSwitch.mutate({ params, body: { membersMentionAll } })}
      />
      <FormControlLabel
        control={<Switch />}
        label={t.membersPin}
        checked={group!.membersPin}
        disabled={setSwitch.isPending}
        onChange={(_, membersPin) => setSwitch.mutate({ params, body: { membersPin } })}
      />
    </Stack>
  )
}
