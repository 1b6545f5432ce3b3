/** One conversation: its messages, what others are typing, and the field to write in. */

import { ArrowBack } from '@mui/icons-material'
import { Alert, Box, Button, IconButton, Stack, Typography } from '@mui/material'
import { Fragment, type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { Link, useSearchParams } from 'react-router'

import { call } from '../../api/client.ts'
import { useAll } from '../../api/pages.ts'
import type { Conversation as ConversationView, GroupMember, Message } from '../../api/types.ts'
import { list } from '../../i18n/format.ts'
import { useTexts } from '../../i18n/words.ts'
import { type Frame, useLive } from '../../session/live.ts'
import { useRecent } from '../../session/recent.ts'
import { useMay, useSession } from '../../session/session.ts'
import { ErrorNotice, Loading } from '../../ui/Answer.tsx'
import { usePresence } from '../../ui/presence.ts'
import { Composer } from './Composer.tsx'
import { ConversationMenu } from './ConversationMenu.tsx'
import { ConversationPortrait } from './ConversationPortrait.tsx'
import { type OpenDraft, useDraft } from './drafts.ts'
import { onLogKey, ROW } from './log-keys.ts'
import { MessageRow } from './MessageRow.tsx'
import { useOutgoing } from './outbox.ts'
import { OutgoingRow } from './OutgoingRow.tsx'
import { PinBar } from './PinBar.tsx'
import { useNames, useTitleOf } from './text.ts'
import { useMessages } from './use-messages.ts'
import { words } from './words.ts'

/** Milliseconds for which "is typing" is shown after a frame; clients send one every 3 seconds. */
const TYPING = 5_000
/** Pixels from the top at which earlier messages are read. */
const NEAR_TOP = 200

const NOBODY: readonly GroupMember[] = []

const dayOf = (time: number): string => new Date(time).toDateString()

/** One after the other by the same person in the same minute. */
const isFollowed = (message: Message, next: Message | undefined): boolean =>
  next !== undefined &&
  next.senderId === message.senderId &&
  next.type !== 'SYSTEM' &&
  !next.recalled &&
  Math.floor(next.createdAt / 60_000) === Math.floor(message.createdAt / 60_000)

export function Conversation({ conversation, isPhone }: { conversation: ConversationView; isPhone: boolean }) {
  const t = useTexts(words)
  const may = useMay()
  const { user } = useSession()
  const { id, peer, group, isNotes } = conversation
  const title = useTitleOf()(conversation)
  useRecent('chat', title)
  const wanted = Number(useSearchParams()[0].get('message')) || undefined
  const messages = useMessages(id, wanted)
  const { data: known } = useAll('groups.members', { params: { id } }, { enabled: group?.role != null })
  const members = known ?? NOBODY
  const nameOf = useNames(group === null ? NOBODY : known, peer && { userId: peer.userId, title })
  const outgoing = useOutgoing({ conversationId: id })
  const draft = useDraft({ conversationId: id }, conversation)
  const replyTo = useAnswered(id, draft, messages.items)
  const field = useRef<HTMLTextAreaElement>(null)
  // Where the user had read when the page was opened: the line above the new messages stays there.
  const [readBefore] = useState(conversation.readUpToId)
  const typing = useTyping(id)
  useReading(conversation, messages.items, user.id)

  const { items } = messages
  const own = new Set(items?.map(({ clientMsgId }) => clientMsgId))
  const waiting = outgoing.filter(({ clientMsgId }) => !own.has(clientMsgId))
  const firstNew =
    conversation.readUpToId > 0 || readBefore > 0
      ? items?.find((each) => each.id > readBefore && each.senderId !== user.id && each.type !== 'SYSTEM')?.id
      : undefined
  useScrollTo(wanted, items)
  const canWrite = may('messages.send') && (group === null || group.role !== null)
  const mayPin = canWrite && may('messages.pin') && (group === null || group.role !== 'MEMBER' || group.membersPin)
  return (
    <>
      <Header
        conversation={conversation}
        isPhone={isPhone}
        typing={typing.map(nameOf)}
        menu={<ConversationMenu conversation={conversation} members={members} onCleared={messages.clear} />}
      />
      <PinBar conversation={conversation} nameOf={nameOf} mayPin={mayPin} onChanged={messages.replace} />
      <Log title={title} messages={messages} onEscape={() => field.current?.focus()}>
        {items === undefined && messages.error === undefined && <Loading />}
        {messages.hasMore && (
          <ReadButton label={t.earlier} isLoading={messages.isLoading} onClick={messages.loadOlder} />
        )}
        {items?.length === 0 && waiting.length === 0 && (
          <Typography color="text.secondary" sx={{ textAlign: 'center', py: 6 }}>
            {isNotes ? t.noNotes : t.noMessages}
          </Typography>
        )}
        {items?.map((message, index) => {
          const before = items[index - 1]
          const isNewDay = before === undefined || dayOf(before.createdAt) !== dayOf(message.createdAt)
          return (
            <Fragment key={message.id}>
              {message.id === messages.gap?.until && (
                <ReadButton label={t.between} mt={1} isLoading={messages.isLoading} onClick={messages.fillGap} />
              )}
              <MessageRow
                message={message}
                nameOf={nameOf}
                member={group === null ? undefined : members.find(({ userId }) => userId === message.senderId)}
                members={members}
                isGroup={group !== null}
                isNotes={isNotes}
                mayPin={mayPin}
                isManager={group?.role === 'OWNER' || group?.role === 'ADMIN'}
                day={isNewDay ? message.createdAt : undefined}
                isContinued={!isNewDay && before?.senderId === message.senderId && before.type !== 'SYSTEM'}
                isFollowed={isFollowed(message, items[index + 1])}
                isFirstNew={message.id === firstNew}
                isMarked={message.id === wanted}
                peerReadUpToId={conversation.peerReadUpToId}
                onReply={canWrite ? (message) => draft.write({ replyToId: message.id }) : undefined}
                onChanged={messages.replace}
                onDeleted={messages.remove}
              />
            </Fragment>
          )
        })}
        {waiting.map((each) => (
          <OutgoingRow key={each.clientMsgId} outgoing={each} />
        ))}
      </Log>
      {messages.error !== undefined && <ErrorNotice error={messages.error} />}
      {canWrite ? (
        <Composer
          field={field}
          conversation={conversation}
          target={{ conversationId: id }}
          draft={draft}
          members={members}
          replyTo={replyTo}
          nameOf={nameOf}
        />
      ) : (
        group?.role === null && <Alert severity="info">{t.left}</Alert>
      )}
    </>
  )
}

interface LogProps {
  title: string
  messages: ReturnType<typeof useMessages>
  onEscape: () => void
  children: ReactNode
}

/** Reads earlier messages when their place comes near. */
function Log({ title, messages, onEscape, children }: LogProps) {
  return (
    <Box
      role="log"
      aria-label={title}
      tabIndex={0}
      onKeyDown={(event) => onLogKey(event, onEscape)}
      onScroll={({ currentTarget }) => {
        // In a reversed column the newest message is at 0, and earlier ones are at negative positions.
        const { scrollTop, scrollHeight, clientHeight } = currentTarget
        if (messages.hasMore && !messages.isLoading && scrollHeight - clientHeight + scrollTop < NEAR_TOP)
          messages.loadOlder()
      }}
      sx={{
        flex: 1,
        minHeight: 0,
        overflowY: 'auto',
        overflowX: 'hidden',
        display: 'flex',
        flexDirection: 'column-reverse',
        bgcolor: 'background.default',
      }}
    >
      <Box sx={{ p: 1.5, width: '100%', boxSizing: 'border-box' }}>{children}</Box>
    </Box>
  )
}

interface ReadButtonProps {
  label: string
  isLoading: boolean
  onClick: () => void
  mt?: number
}

/** Reads messages that are missing above it or in its place. */
function ReadButton({ label, isLoading, onClick, mt = 0 }: ReadButtonProps) {
  return (
    <Stack sx={{ alignItems: 'center', mt, mb: 1 }}>
      <Button size="small" loading={isLoading} onClick={onClick} {...ROW}>
        {label}
      </Button>
    </Stack>
  )
}

interface HeaderProps {
  conversation: ConversationView
  isPhone: boolean
  /** Names of the users who are typing. */
  typing: readonly string[]
  menu: ReactNode
}

function Header({ conversation, isPhone, typing, menu }: HeaderProps) {
  const t = useTexts(words)
  const title = useTitleOf()(conversation)
  const { avatarUrl, group, isNotes, peer } = conversation
  const presence = usePresence(peer === null || isNotes ? [] : [peer.userId])
  return (
    <Stack
      direction="row"
      spacing={1}
      sx={{ alignItems: 'center', px: 1.5, py: 0.75, borderBottom: 1, borderColor: 'divider', minHeight: 56 }}
    >
      {isPhone && (
        <IconButton component={Link} to="/chats" edge="start" aria-label={t.back}>
          <ArrowBack />
        </IconButton>
      )}
      <ConversationPortrait name={title} url={avatarUrl} isNotes={isNotes} size={36} />
      <Box sx={{ flex: 1, minWidth: 0 }}>
        <Typography variant="h2" component={isPhone ? 'h1' : 'h2'} noWrap>
          {title}
        </Typography>
        <Typography variant="caption" color="text.secondary" noWrap component="p" aria-live="polite">
          {typing.length > 0
            ? t.typing(list(typing))
            : group !== null && group.role !== null
              ? t.members(group.memberCount)
              : peer === null || isNotes
                ? ''
                : presence(peer.userId)}
        </Typography>
      </Box>
      {menu}
    </Stack>
  )
}

/** Shows the message that was looked for once it was read. */
function useScrollTo(wanted: number | undefined, items: readonly Message[] | undefined): void {
  const isHere = wanted !== undefined && items?.some((each) => each.id === wanted)
  useEffect(() => {
    if (isHere) document.getElementById(`message-${wanted}`)?.scrollIntoView({ block: 'center' })
  }, [isHere, wanted])
}

/** The message that the draft answers, which can be older than those that were read. */
function useAnswered(
  conversationId: number,
  { replyToId: id, write }: OpenDraft,
  items: readonly Message[] | undefined,
): Message | undefined {
  const [found, setFound] = useState<Message>()
  const known = items?.find((each) => each.id === id)
  const isMissing = id !== null && items !== undefined && known === undefined && found?.id !== id
  useEffect(() => {
    if (!isMissing) return
    let isOver = false
    const find = async () => {
      const query = { afterId: id - 1, limit: 1 }
      const [message] = (await call('conversations.history', { params: { id: conversationId }, query })).items
      if (isOver) return
      if (message?.id === id) setFound(message)
      // It was deleted.
      else write({ replyToId: null })
    }
    // Without a connection the draft stays as it is.
    find().catch(() => undefined)
    return () => {
      isOver = true
    }
  }, [isMissing, conversationId, id, write])
  return known ?? (found?.id === id ? found : undefined)
}

/** The users who are typing. */
function useTyping(conversationId: number): readonly number[] {
  const [until, setUntil] = useState<ReadonlyMap<number, number>>(new Map())
  useLive(
    'typing',
    useCallback(
      ({ data }: Frame) => {
        if (data.conversationId === conversationId)
          setUntil((before) => new Map([...before, [data.userId as number, Date.now() + TYPING]]))
      },
      [conversationId],
    ),
  )
  useLive(
    'message',
    useCallback(({ data }: Frame) => {
      setUntil((before) => new Map([...before].filter(([userId]) => userId !== data.senderId)))
    }, []),
  )
  useEffect(() => {
    if (until.size === 0) return
    const timer = setTimeout(
      () => setUntil((before) => new Map([...before].filter(([, time]) => time > Date.now()))),
      TYPING,
    )
    return () => clearTimeout(timer)
  }, [until])
  return [...until.keys()]
}

/** Marks messages as read while the page is visible. A mark of the user as unread ends when the conversation is opened, and not when it is set meanwhile. */
function useReading(
  { id: conversationId, markedUnread }: ConversationView,
  items: readonly Message[] | undefined,
  userId: number,
): void {
  const [wasUnread] = useState(markedUnread)
  const newest = items?.findLast(({ senderId }) => senderId !== userId || wasUnread)?.id
  const marked = useRef(0)
  useEffect(() => {
    const mark = () => {
      if (newest === undefined || newest <= marked.current || document.visibilityState !== 'visible') return
      marked.current = newest
      void call('conversations.read', { params: { id: conversationId }, body: { messageId: newest } }).catch(() => {
        // Tried again with the next message, or when the page is shown again.
        marked.current = 0
      })
    }
    mark()
    document.addEventListener('visibilitychange', mark)
    return () => document.removeEventListener('visibilitychange', mark)
  }, [conversationId, newest])
}
