/** Searches the messages of all conversations, or of one. */

import { ManageSearch } from '@mui/icons-material'
import {
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  List,
  ListItem,
  ListItemButton,
  ListItemText,
  Stack,
  TextField,
} from '@mui/material'
import { useEffect, useState } from 'react'
import { Link } from 'react-router'

import { call } from '../../api/client.ts'
import { useAll } from '../../api/pages.ts'
import type { Message } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { EmptyState, ErrorNotice, Loading } from '../../ui/Answer.tsx'
import { useIsPhone } from '../../ui/use-is-phone.ts'
import { useExcerpt } from './text.ts'

const own = texts({
  en: {
    ...common.en,
    title: 'Search messages',
    titleHere: 'Search this conversation',
    words: 'Words to search for',
    hint: 'Whole words; of Chinese at least two characters.',
    none: 'No message has these words',
    noneText: 'Try another word or fewer words.',
  },
  zh: {
    ...common.zh,
    title: '搜索消息',
    titleHere: '搜索此会话',
    words: '搜索内容',
    hint: '中文至少两个字，英文按整个单词匹配。',
    none: '没有符合的消息',
    noneText: '请换个词或减少词语。',
  },
})

const PAGE = 30

export interface SearchDialogProps {
  /** Undefined: all conversations. */
  conversationId?: number
  onClose: () => void
}

export function SearchDialog({ conversationId, onClose }: SearchDialogProps) {
  const t = useTexts(own)
  const excerpt = useExcerpt()
  const isPhone = useIsPhone()
  const [typed, setTyped] = useState('')
  const [answer, setFound] = useState<{ q: string; items: readonly Message[]; hasMore: boolean }>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const conversations = useAll('conversations.list')
  const titleOf = (id: number) => conversations.data?.find((each) => each.id === id)?.title ?? ''
  const q = typed.trim()
  const found = q === '' ? undefined : answer

  useEffect(() => {
    if (q === '') return
    let isCurrent = true
    const timer = setTimeout(async () => {
      setBusy(true)
      try {
        const page = await call('messages.search', {
          query: { q, limit: PAGE, ...(conversationId !== undefined && { conversationId }) },
        })
        if (isCurrent) setFound({ q, ...page })
        setError(undefined)
      } catch (problem) {
        if (isCurrent) setError(problem)
      } finally {
        setBusy(false)
      }
    }, 300)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [q, conversationId])
  const more = async () => {
    const beforeId = found?.items.at(-1)?.id
    if (found === undefined || beforeId === undefined) return
    setBusy(true)
    try {
      const page = await call('messages.search', {
        query: { q: found.q, beforeId, limit: PAGE, ...(conversationId !== undefined && { conversationId }) },
      })
      setFound({ ...found, items: [...found.items, ...page.items], hasMore: page.hasMore })
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="sm" fullScreen={isPhone} aria-labelledby="search-title">
      <DialogTitle id="search-title">{conversationId === undefined ? t.title : t.titleHere}</DialogTitle>
      <DialogContent>
        <TextField
          type="search"
          label={t.words}
          helperText={t.hint}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          fullWidth
          autoFocus
          sx={{ mt: 1 }}
        />
        {error !== undefined && <ErrorNotice error={error} />}
        {isBusy && <Loading />}
        {found?.items.length === 0 && <EmptyState icon={ManageSearch} title={t.none} text={t.noneText} />}
        <List>
          {found?.items.map((message) => {
            const title = titleOf(message.conversationId)
            return (
              <ListItem key={message.id} disablePadding divider>
                <ListItemButton
                  component={Link}
                  to={`/chats/${message.conversationId}?message=${message.id}`}
                  onClick={onClose}
                >
                  <ListItemText
                    primary={excerpt(message, () => title)}
                    secondary={`${title} · ${dateTime(message.createdAt)}`}
                    slotProps={{
                      primary: {
                        sx: {
                          display: '-webkit-box',
                          WebkitBoxOrient: 'vertical',
                          WebkitLineClamp: 4,
                          overflow: 'hidden',
                          overflowWrap: 'anywhere',
                        },
                      },
                    }}
                  />
                </ListItemButton>
              </ListItem>
            )
          })}
        </List>
        {found?.hasMore && (
          <Stack sx={{ alignItems: 'center' }}>
            <Button onClick={() => void more()} loading={isBusy}>
              {t.showMore}
            </Button>
          </Stack>
        )}
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{t.close}</Button>
      </DialogActions>
    </Dialog>
  )
}
