/** Actions on a whole conversation. */

import {
  CleaningServices,
  DeleteOutlined,
  Download,
  Group,
  ManageSearch,
  MarkChatReadOutlined,
  MarkChatUnreadOutlined,
  MoreVert,
  NotificationsNone,
  NotificationsOffOutlined,
  PersonOutlined,
  PushPinOutlined,
} from '@mui/icons-material'
import { useState } from 'react'
import { useNavigate } from 'react-router'

import { useAction } from '../../api/hooks.ts'
import type { Conversation, GroupMember } from '../../api/types.ts'
import { labelled } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ActionDialog } from '../../ui/ActionDialog.tsx'
import { IconMenu, MenuEntry } from '../../ui/MenuButton.tsx'
import { ExportDialog } from './ExportDialog.tsx'
import { MembersDialog } from './MembersDialog.tsx'
import { SearchDialog } from './SearchDialog.tsx'
import { useTitleOf } from './text.ts'

const words = texts({
  en: {
    actions: 'Actions for this conversation',
    search: 'Search this conversation',
    group: 'Group and members',
    contact: 'Contact',
    markRead: 'Mark as read',
    markUnread: 'Mark as unread',
    pin: 'Pin to the top',
    unpin: 'Unpin',
    mute: 'Mute',
    unmute: 'Unmute',
    clear: 'Clear history',
    clearText:
      'All messages up to now disappear for you, on all your devices. The others keep them. This cannot be undone.',
    clearNotes: 'All notes up to now are deleted, on all your devices. This cannot be undone.',
    cleared: 'History cleared.',
    export: 'Export…',
    delete: 'Delete conversation',
    deleteText:
      'The conversation and its history disappear for you, on all your devices. The others keep them. It comes back with the next message.',
    deleteNotes: 'All of your notes are deleted, on all your devices. This cannot be undone.',
    deleted: 'Conversation deleted.',
  },
  zh: {
    actions: '会话操作',
    search: '搜索此会话',
    group: '群聊与成员',
    contact: '联系人资料',
    markRead: '标为已读',
    markUnread: '标为未读',
    pin: '置顶',
    unpin: '取消置顶',
    mute: '静音',
    unmute: '取消静音',
    clear: '清空聊天记录',
    clearText: '到目前为止的消息将从你的所有设备上消失，其他人仍可看到。此操作无法撤销。',
    clearNotes: '到目前为止的笔记将从你的所有设备上删除，此操作无法撤销。',
    cleared: '聊天记录已清空。',
    export: '导出…',
    delete: '删除会话',
    deleteText: '会话及其记录将从你的所有设备上消失，其他人仍可看到。收到新消息时会话会再次出现。',
    deleteNotes: '你的全部笔记将从所有设备上删除，此操作无法撤销。',
    deleted: '会话已删除。',
  },
})

/** The changes of a user's own view: for the menu of a conversation, and that of its row. */
export function ViewEntries({
  conversation: { id, pinned, muted, markedUnread, unreadCount, isNotes },
  onUnread,
}: {
  conversation: Conversation
  onUnread?: () => void
}) {
  const t = useTexts(words)
  const params = { id }
  const refreshes = ['conversations']
  const pin = useAction('conversations.pin', { refreshes })
  const mute = useAction('conversations.mute', { refreshes })
  // Their frames change the rows and the number of unread messages together.
  const read = useAction('conversations.read', { refreshes: [] })
  const unread = useAction('conversations.unread', { refreshes: [], ...(onUnread && { onDone: onUnread }) })
  const isUnread = unreadCount > 0 || markedUnread
  return (
    <>
      <MenuEntry
        icon={isUnread ? <MarkChatReadOutlined /> : <MarkChatUnreadOutlined />}
        text={isUnread ? t.markRead : t.markUnread}
        onClick={() => (isUnread ? read.mutate({ params, body: {} }) : unread.mutate({ params }))}
      />
      <MenuEntry
        icon={<PushPinOutlined />}
        text={pinned ? t.unpin : t.pin}
        onClick={() => pin.mutate({ params, body: { pinned: !pinned } })}
      />
      {!isNotes && (
        <MenuEntry
          icon={muted ? <NotificationsNone /> : <NotificationsOffOutlined />}
          text={muted ? t.unmute : t.mute}
          onClick={() => mute.mutate({ params, body: { muted: !muted } })}
        />
      )}
    </>
  )
}

export interface ConversationMenuProps {
  conversation: Conversation
  members: readonly GroupMember[]
  onCleared: () => void
}

export function ConversationMenu({ conversation, members, onCleared }: ConversationMenuProps) {
  const t = useTexts(words)
  const may = useMay()
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<'search' | 'group' | 'export' | 'clear' | 'delete'>()
  const title = useTitleOf()(conversation)
  const { id, group, peer, isNotes } = conversation
  const params = { id }
  const close = () => setDialog(undefined)
  return (
    <>
      <IconMenu label={t.actions} icon={<MoreVert />} hasTooltip>
        {group !== null && <MenuEntry icon={<Group />} text={t.group} onClick={() => setDialog('group')} />}
        {peer !== null && peer.contactId !== null && (
          <MenuEntry
            icon={<PersonOutlined />}
            text={t.contact}
            onClick={() => void navigate(`/contacts/${peer.contactId}`)}
          />
        )}
        {may('messages.search') && (
          <MenuEntry icon={<ManageSearch />} text={t.search} onClick={() => setDialog('search')} />
        )}
        <ViewEntries conversation={conversation} onUnread={() => void navigate('/chats')} />
        {group?.role !== null && may('conversations.export') && (
          <MenuEntry icon={<Download />} text={t.export} onClick={() => setDialog('export')} />
        )}
        {may('conversations.clear') && (
          <MenuEntry icon={<CleaningServices />} text={t.clear} onClick={() => setDialog('clear')} />
        )}
        {may('conversations.delete') && (
          <MenuEntry icon={<DeleteOutlined />} text={t.delete} onClick={() => setDialog('delete')} />
        )}
      </IconMenu>
      {dialog === 'search' && <SearchDialog conversationId={id} onClose={close} />}
      {dialog === 'group' && group !== null && (
        <MembersDialog conversation={conversation} members={members} onClose={close} />
      )}
      {dialog === 'export' && <ExportDialog conversation={conversation} onClose={close} />}
      {dialog === 'clear' && (
        <ActionDialog
          operation="conversations.clear"
          input={{ params }}
          title={labelled(t.clear, title)}
          text={isNotes ? t.clearNotes : t.clearText}
          action={t.clear}
          done={t.cleared}
          onDone={onCleared}
          onClose={close}
        />
      )}
      {dialog === 'delete' && (
        <ActionDialog
          operation="conversations.delete"
          input={{ params }}
          title={labelled(t.delete, title)}
          text={isNotes ? t.deleteNotes : t.deleteText}
          action={t.delete}
          refreshes={['conversations.list']}
          done={t.deleted}
          onDone={() => void navigate('/chats', { replace: true })}
          onClose={close}
        />
      )}
    </>
  )
}
