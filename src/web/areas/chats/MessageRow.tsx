/** One message in its bubble: sender, answered message, content, reactions, time, and what can be done with it. */

import {
  AddReactionOutlined,
  ContentCopy,
  DeleteOutlined,
  Done,
  DoneAll,
  Edit,
  FlagOutlined,
  Forward,
  MoreVert,
  PushPin,
  PushPinOutlined,
  RemoveCircleOutlined,
  Reply,
  Undo,
  VisibilityOutlined,
} from '@mui/icons-material'
import { Box, Chip, Divider, IconButton, MenuItem, Stack, Typography } from '@mui/material'
import { useState } from 'react'

import { call, callWith } from '../../api/client.ts'
import { useAction } from '../../api/hooks.ts'
import { newId } from '../../api/new-id.ts'
import type { DataOf, GroupMember, Message } from '../../api/types.ts'
import { notify } from '../../browser/notices.ts'
import { common } from '../../i18n/common.ts'
import { clockTime, date, dateTime, list } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay, useSession } from '../../session/session.ts'
import { ActionDialog } from '../../ui/ActionDialog.tsx'
import { useCopy } from '../../ui/copy.ts'
import { IconMenu, MenuEntry, useCloseMenu } from '../../ui/MenuButton.tsx'
import { Portrait } from '../../ui/Portrait.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { Content } from './Content.tsx'
import { EditDialog } from './EditDialog.tsx'
import { ROW } from './log-keys.ts'
import { RemoveDialog, ReportDialog } from './ModerationDialogs.tsx'
import { PeopleDialog } from './PeopleDialog.tsx'
import { ReadBy, ReadersDialog } from './Readers.tsx'
import { type NameOf, useExcerpt } from './text.ts'
import { words } from './words.ts'

const own = texts({
  en: {
    ...common.en,
    actions: 'Actions for this message',
    reply: 'Reply',
    copy: 'Copy text',
    forward: 'Forward',
    forwarded: 'Forwarded.',
    recall: 'Recall',
    edit: 'Edit',
    remove: 'Remove for everyone',
    report: 'Report',
    pin: 'Pin message',
    unpin: 'Unpin message',
    pinnedBy: (name: string) => `Pinned by ${name}`,
    deleteForMe: 'Delete for me',
    deleteTitle: 'Delete this message for yourself?',
    deleteText: 'It disappears on all of your devices. Others still see it.',
    deleteNote: 'It is deleted on all of your devices. This cannot be undone.',
    edited: 'edited',
    editedAt: (time: string) => `Edited ${time}`,
    read: 'Read',
    sent: 'Sent',
    readers: 'Read by',
    react: (emoji: string) => `React with ${emoji}`,
    reaction: (emoji: string, n: number, names: string) => `${emoji} ${n}: ${names}`,
    partly: (n: number) =>
      `The message was not sent to ${n === 1 ? 'one person' : `${n} people`}. They may not accept messages from you.`,
  },
  zh: {
    ...common.zh,
    actions: '消息操作',
    reply: '回复',
    copy: '复制文字',
    forward: '转发',
    forwarded: '已转发。',
    recall: '撤回',
    edit: '编辑',
    remove: '为所有人移除',
    report: '举报',
    pin: '置顶消息',
    unpin: '取消置顶消息',
    pinnedBy: (name: string) => `由 ${name} 置顶`,
    deleteForMe: '仅为我删除',
    deleteTitle: '为自己删除这条消息？',
    deleteText: '它将从你的所有设备上消失，其他人仍能看到。',
    deleteNote: '它将从你的所有设备上删除，此操作无法撤销。',
    edited: '已编辑',
    editedAt: (time: string) => `编辑于 ${time}`,
    read: '已读',
    sent: '已发送',
    readers: '谁已读',
    react: (emoji: string) => `回应 ${emoji}`,
    reaction: (emoji: string, n: number, names: string) => `${emoji} ${n}：${names}`,
    partly: (n: number) => `有 ${n} 人未能收到，对方可能不接收你的消息。`,
  },
})

const EMOJI = ['👍', '❤️', '😂', '😮', '😢', '🙏'] as const

export interface MessageRowProps {
  message: Message
  nameOf: NameOf
  /** The sender, if they are still a member of the group. */
  member: GroupMember | undefined
  /** Of the group; nobody in a direct conversation. */
  members: readonly GroupMember[]
  isGroup: boolean
  isNotes: boolean
  mayPin: boolean
  /** The user is the owner or an administrator of the group. */
  isManager: boolean
  /** Time of the message if it is the first of its day. */
  day: number | undefined
  /** By the same sender as the one before. */
  isContinued: boolean
  /** The next one is by the same sender in the same minute, and shows the time for both. */
  isFollowed: boolean
  isFirstNew: boolean
  /** Found by a search. */
  isMarked: boolean
  peerReadUpToId: number | null
  onReply: ((message: Message) => void) | undefined
  onChanged: (messages: readonly Message[]) => void
  onDeleted: (messageId: number) => void
}

export function MessageRow(props: MessageRowProps) {
  const { message, nameOf, member, isGroup, day, isContinued, isFollowed, isFirstNew, isMarked, peerReadUpToId } = props
  const t = useTexts(words)
  const o = useTexts(own)
  const excerpt = useExcerpt()
  const { user } = useSession()
  const isOwn = message.senderId === user.id
  const react = useReactions(props)
  const isNotice = message.recalled || message.type === 'SYSTEM'
  return (
    <Box
      id={`message-${message.id}`}
      component="article"
      {...ROW}
      sx={{
        borderRadius: 1,
        '&:focus-visible': { outline: 2, outlineColor: 'primary.main', outlineOffset: -2 },
      }}
    >
      {day !== undefined && <Day time={day} />}
      {isFirstNew && (
        <Divider sx={{ my: 1, color: 'primary.main', fontSize: '0.8rem' }} role="presentation">
          {t.newMessages}
        </Divider>
      )}
      {isNotice ? (
        <Typography variant="body2" color="text.secondary" sx={{ textAlign: 'center', py: 0.75, px: 3 }}>
          {excerpt(message, nameOf)}
        </Typography>
      ) : (
        <Stack
          direction={isOwn ? 'row-reverse' : 'row'}
          spacing={1}
          sx={{
            mt: isContinued ? 0.4 : 1.25,
            alignItems: 'flex-start',
            '&:hover .actions, & .actions:focus, [data-row]:focus > & .actions': { opacity: 1 },
          }}
        >
          {isGroup && !isOwn && (
            <Portrait
              name={nameOf(message.senderId)}
              url={member?.avatarUrl ?? null}
              size={32}
              sx={{ visibility: isContinued ? 'hidden' : 'visible' }}
            />
          )}
          <Box sx={{ maxWidth: { xs: '82%', sm: '70%' }, minWidth: 0 }}>
            {isGroup && !isOwn && !isContinued && (
              <Typography variant="caption" color="text.secondary">
                {nameOf(message.senderId)}
              </Typography>
            )}
            <Box
              sx={{
                width: 'fit-content',
                maxWidth: '100%',
                boxSizing: 'border-box',
                ml: isOwn ? 'auto' : 0,
                px: 1.25,
                py: 0.75,
                borderRadius: 2,
                border: 1,
                borderColor: isMarked ? 'warning.main' : isOwn ? 'transparent' : 'divider',
                outline: isMarked ? 2 : 0,
                outlineColor: 'warning.main',
                bgcolor: isOwn ? 'background.tint' : 'background.paper',
                overflowWrap: 'anywhere',
              }}
            >
              {message.replyTo !== null && (
                <Box sx={{ borderLeft: 3, borderColor: 'currentColor', pl: 1, mb: 0.5, opacity: 0.9 }}>
                  <Typography variant="caption" component="div" sx={{ fontWeight: 650 }}>
                    {nameOf(message.replyTo.senderId)}
                  </Typography>
                  <Typography variant="caption" component="div">
                    {message.replyTo.excerpt || `[${t.types[message.replyTo.type]}]`}
                  </Typography>
                </Box>
              )}
              <Content message={message} />
              <Stack direction="row" spacing={0.5} sx={{ justifyContent: 'flex-end', alignItems: 'center', mt: 0.25 }}>
                <Marks message={message} nameOf={nameOf} />
                {!isFollowed && (
                  <SentAt
                    message={message}
                    isRead={isOwn && !isGroup && !props.isNotes ? (peerReadUpToId ?? 0) >= message.id : undefined}
                  />
                )}
              </Stack>
            </Box>
            {message.reactions.length > 0 && (
              <Stack direction="row" spacing={0.5} useFlexGap sx={{ flexWrap: 'wrap', mt: 0.5 }}>
                {message.reactions.map(({ emoji, count, userIds }) => (
                  <Chip
                    key={emoji}
                    size="small"
                    tabIndex={-1}
                    variant={userIds.includes(user.id) ? 'filled' : 'outlined'}
                    label={`${emoji} ${count}`}
                    aria-label={o.reaction(emoji, count, list(userIds.map(nameOf)))}
                    aria-pressed={userIds.includes(user.id)}
                    onClick={() => react(emoji)}
                  />
                ))}
              </Stack>
            )}
          </Box>
          <Actions {...props} react={react} isOwn={isOwn} />
        </Stack>
      )}
    </Box>
  )
}

/** That the message is pinned, forwarded or edited. */
function Marks({ message: { pin, forwarded, editedAt }, nameOf }: { message: Message; nameOf: NameOf }) {
  const o = useTexts(own)
  return (
    <>
      {pin !== null && <PushPin titleAccess={o.pinnedBy(nameOf(pin.userId))} sx={{ fontSize: 14 }} />}
      {forwarded && <Forward titleAccess={o.forwarded} sx={{ fontSize: 14 }} />}
      {editedAt !== null && (
        <Typography variant="caption" title={o.editedAt(dateTime(editedAt))}>
          {o.edited}
        </Typography>
      )}
    </>
  )
}

/** The time, and for own messages whether they were read, or by how many members of the group. */
function SentAt({ message, isRead }: { message: Message; isRead: boolean | undefined }) {
  const { id, createdAt: at, readCount } = message
  const o = useTexts(own)
  return (
    <>
      <Typography variant="caption" title={dateTime(at)}>
        {clockTime(at)}
      </Typography>
      {isRead === true && <DoneAll titleAccess={o.read} sx={{ fontSize: 16 }} />}
      {isRead === false && <Done titleAccess={o.sent} sx={{ fontSize: 16 }} />}
      {readCount !== undefined && <ReadBy messageId={id} count={readCount} />}
    </>
  )
}

function useReactions({ message, onChanged }: MessageRowProps): (emoji: string) => void {
  const { user } = useSession()
  const onDone = (changed: Message) => onChanged([changed])
  const add = useAction('messages.react', { refreshes: [], onDone })
  const remove = useAction('messages.unreact', { refreshes: [], onDone })
  return (emoji) => {
    const isSet = message.reactions.some((each) => each.emoji === emoji && each.userIds.includes(user.id))
    ;(isSet ? remove : add).mutate({ params: { id: message.id, emoji } })
  }
}

function Actions({
  message,
  members,
  isNotes,
  isManager,
  mayPin,
  onReply,
  onChanged,
  onDeleted,
  react,
  isOwn,
}: MessageRowProps & { react: (emoji: string) => void; isOwn: boolean }) {
  const o = useTexts(own)
  const may = useMay()
  const copy = useCopy()
  const [isForwarding, setForwarding] = useState(false)
  const [isEditing, setEditing] = useState(false)
  const [isDeleting, setDeleting] = useState(false)
  const [step, setStep] = useState<'remove' | 'report' | 'readers'>()
  const recall = useAction('messages.recall', {
    refreshes: ['conversations'],
    onDone: (changed) => onChanged([changed]),
  })
  const pin = useAction(message.pin === null ? 'messages.pin' : 'messages.unpin', {
    refreshes: ['conversations.pins'],
    onDone: (changed) => onChanged([changed]),
  })
  const text = message.type === 'TEXT' ? String(message.content['text']) : undefined
  const mayReact = may('messages.react') && onReply !== undefined
  return (
    <>
      <IconMenu
        label={o.actions}
        icon={<MoreVert fontSize="small" />}
        className="actions"
        tabIndex={-1}
        size="small"
        sx={{ opacity: { xs: 0.7, md: 0.35 } }}
      >
        {mayReact && (
          <MenuItem
            disableRipple
            component="div"
            role="presentation"
            sx={{ cursor: 'default', gap: 0.25, px: 1 }}
            tabIndex={-1}
          >
            <AddReactionOutlined fontSize="small" sx={{ color: 'text.secondary', mr: 0.5 }} />
            <EmojiButtons onReact={react} />
          </MenuItem>
        )}
        {onReply !== undefined && <MenuEntry icon={<Reply />} text={o.reply} onClick={() => onReply(message)} />}
        {text !== undefined && <MenuEntry icon={<ContentCopy />} text={o.copy} onClick={() => copy(text)} />}
        {may('messages.forward') && (
          <MenuEntry icon={<Forward />} text={o.forward} onClick={() => setForwarding(true)} />
        )}
        {mayPin && (
          <MenuEntry
            icon={<PushPinOutlined />}
            text={message.pin === null ? o.pin : o.unpin}
            onClick={() => pin.mutate({ params: { id: message.id } })}
          />
        )}
        {isOwn && text !== undefined && !message.forwarded && onReply !== undefined && may('messages.edit') && (
          <MenuEntry icon={<Edit />} text={o.edit} onClick={() => setEditing(true)} />
        )}
        {isOwn && may('messages.recall') && (
          <MenuEntry icon={<Undo />} text={o.recall} onClick={() => recall.mutate({ params: { id: message.id } })} />
        )}
        {message.readCount !== undefined && (
          <MenuEntry icon={<VisibilityOutlined />} text={o.readers} onClick={() => setStep('readers')} />
        )}
        {isManager && !isOwn && may('messages.remove') && (
          <MenuEntry icon={<RemoveCircleOutlined />} text={o.remove} onClick={() => setStep('remove')} />
        )}
        {!isOwn && may('messages.report') && (
          <MenuEntry icon={<FlagOutlined />} text={o.report} onClick={() => setStep('report')} />
        )}
        {may('messages.delete') && (
          <MenuEntry
            icon={<DeleteOutlined />}
            text={isNotes ? o.delete : o.deleteForMe}
            onClick={() => setDeleting(true)}
          />
        )}
      </IconMenu>
      {step === 'remove' && <RemoveDialog message={message} onChanged={onChanged} onClose={() => setStep(undefined)} />}
      {step === 'report' && <ReportDialog message={message} onClose={() => setStep(undefined)} />}
      {step === 'readers' && <ReadersDialog messageId={message.id} onClose={() => setStep(undefined)} />}
      {isDeleting && (
        <ActionDialog
          operation="messages.delete"
          input={{ params: { id: message.id } }}
          title={o.deleteTitle}
          text={isNotes ? o.deleteNote : o.deleteText}
          action={o.delete}
          refreshes={['conversations']}
          onDone={() => onDeleted(message.id)}
          onClose={() => setDeleting(false)}
        />
      )}
      {isForwarding && <ForwardDialog message={message} onClose={() => setForwarding(false)} />}
      {isEditing && (
        <EditDialog message={message} members={members} onChanged={onChanged} onClose={() => setEditing(false)} />
      )}
    </>
  )
}

function EmojiButtons({ onReact }: { onReact: (emoji: string) => void }) {
  const o = useTexts(own)
  const close = useCloseMenu()
  return EMOJI.map((emoji) => (
    <IconButton
      key={emoji}
      role="menuitem"
      size="small"
      aria-label={o.react(emoji)}
      onClick={() => {
        close()
        onReact(emoji)
      }}
      sx={{ width: 40, height: 40, color: 'text.primary' }}
    >
      {emoji}
    </IconButton>
  ))
}

function ForwardDialog({ message, onClose }: { message: Message; onClose: () => void }) {
  const o = useTexts(own)
  const may = useMay()
  const { user } = useSession()
  const form = useForm('messages.forward', () => ({ userIds: [] as readonly number[], clientMsgId: newId() }), {
    input: ({ userIds, clientMsgId }) => ({ body: { messageIds: [message.id], userIds: [...userIds], clientMsgId } }),
    refreshes: ['conversations'],
    async send(input, id, headers, { userIds }) {
      if (userIds.includes(user.id)) await call('chats.openNotes')
      return (await callWith(id, input, { headers })) as DataOf<typeof id>
    },
    onDone({ results }) {
      onClose()
      const failed = results.filter(({ status }) => status === 'FAILED').length
      if (failed > 0) notify(o.partly(failed), 'warning')
      else notify(o.forwarded, 'success')
    },
  })
  return (
    <PeopleDialog
      form={form}
      title={o.forward}
      action={o.forward}
      withNotes={may('chats.openNotes')}
      onClose={onClose}
    />
  )
}

/** Midnights between then and now. */
const daysAgo = (time: number): number =>
  Math.round((new Date().setHours(0, 0, 0, 0) - new Date(time).setHours(0, 0, 0, 0)) / 86_400_000)

function Day({ time }: { time: number }) {
  const t = useTexts(words)
  const days = daysAgo(time)
  return (
    <Typography variant="caption" component="p" color="text.secondary" sx={{ textAlign: 'center', mt: 1.5, mb: 0.5 }}>
      {days === 0 ? t.today : days === 1 ? t.yesterday : date(time)}
    </Typography>
  )
}
