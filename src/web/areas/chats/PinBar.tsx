/** The pinned messages of a conversation, above its messages. */

import { Close, ExpandLess, ExpandMore, PushPin } from '@mui/icons-material'
import { Box, IconButton, List, ListItem, ListItemButton, ListItemIcon, ListItemText } from '@mui/material'
import { useCallback, useState } from 'react'
import { useNavigate } from 'react-router'

import { useAction, useCall } from '../../api/hooks.ts'
import type { Conversation, Message } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { type Frame, useLive } from '../../session/live.ts'
import { type NameOf, useExcerpt } from './text.ts'
import { words as shared } from './words.ts'

const words = texts({
  en: {
    title: 'Pinned messages',
    unpin: (text: string) => `Unpin “${text}”`,
    all: (n: number) => `Show all ${n} pinned messages`,
    fewer: 'Show the latest one only',
  },
  zh: {
    title: '置顶消息',
    unpin: (text: string) => `取消置顶“${text}”`,
    all: (n: number) => `显示全部 ${n} 条置顶消息`,
    fewer: '只显示最新一条',
  },
})

export interface PinBarProps {
  conversation: Conversation
  nameOf: NameOf
  mayPin: boolean
  onChanged: (messages: readonly Message[]) => void
}

export function PinBar({ conversation: { id, group }, nameOf, mayPin, onChanged }: PinBarProps) {
  const t = useTexts(words)
  const s = useTexts(shared)
  const excerpt = useExcerpt()
  const navigate = useNavigate()
  const [isOpen, setOpen] = useState(false)
  const items = usePins(id)
  const unpin = useAction('messages.unpin', {
    refreshes: ['conversations.pins'],
    onDone: (changed) => onChanged([changed]),
  })
  if (items.length === 0) return null
  const jump = (messageId: number) => {
    void navigate(`/chats/${id}?message=${messageId}`, { replace: true })
    // A second time the address stays the same.
    document.getElementById(`message-${messageId}`)?.scrollIntoView({ block: 'center' })
  }
  return (
    <Box
      component="section"
      aria-label={t.title}
      sx={{ borderBottom: 1, borderColor: 'divider', position: 'relative' }}
    >
      <List dense disablePadding>
        {(isOpen ? items : items.slice(0, 1)).map((message, index) => {
          const text = excerpt(message, nameOf)
          const hasMore = index === 0 && items.length > 1
          const MoreIcon = isOpen ? ExpandLess : ExpandMore
          return (
            <ListItem
              key={message.id}
              disablePadding
              secondaryAction={
                <>
                  {hasMore && (
                    <IconButton
                      size="small"
                      aria-label={isOpen ? t.fewer : t.all(items.length)}
                      aria-expanded={isOpen}
                      onClick={() => setOpen(!isOpen)}
                    >
                      <MoreIcon fontSize="small" />
                    </IconButton>
                  )}
                  {mayPin && (
                    <IconButton
                      size="small"
                      edge="end"
                      aria-label={t.unpin(text)}
                      onClick={() => unpin.mutate({ params: { id: message.id } })}
                    >
                      <Close fontSize="small" />
                    </IconButton>
                  )}
                </>
              }
              sx={{ '& > .MuiListItemButton-root': { pr: hasMore ? 12 : 7 } }}
            >
              <ListItemButton onClick={() => jump(message.id)}>
                <ListItemIcon sx={{ minWidth: 32 }}>
                  <PushPin color="primary" sx={{ fontSize: 18 }} />
                </ListItemIcon>
                <ListItemText
                  primary={group === null ? text : s.said(nameOf(message.senderId), text)}
                  slotProps={{ primary: { noWrap: true } }}
                />
              </ListItemButton>
            </ListItem>
          )
        })}
      </List>
    </Box>
  )
}

const NONE: readonly Message[] = []

/** Read again when a message is pinned, unpinned, edited or recalled, and not for each reaction to one that everybody sees. */
function usePins(id: number): readonly Message[] {
  const { data, refetch } = useCall('conversations.pins', { params: { id } })
  const items = data?.items ?? NONE
  const onUpdated = useCallback(
    ({ data: { message } }: Frame) => {
      const known = items.find((each) => each.id === message.id)
      if (known === undefined ? message.conversationId !== id || message.pin === null : isSame(known, message)) return
      void refetch()
    },
    [id, items, refetch],
  )
  const onRecalled = useCallback(
    ({ data: { messageId } }: Frame) => {
      if (items.some((each) => each.id === messageId)) void refetch()
    },
    [items, refetch],
  )
  useLive('message.updated', onUpdated)
  useLive('message.recalled', onRecalled)
  return items
}

const isSame = (a: Message, b: Message): boolean => a.pin?.pinnedAt === b.pin?.pinnedAt && a.editedAt === b.editedAt
