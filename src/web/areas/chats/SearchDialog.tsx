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
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'

import { call } from '../../api/client.ts'
import { useAll } from '../../api/pages.ts'
import { common } from '../../i18n/common.ts'
import { dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { EmptyState, ErrorNotice, Loading } from '../../ui/Answer.tsx'
import { useIsPhone } from '../../ui/use-is-phone.ts'
import { useSettled } from '../../ui/use-settled.ts'
import { useExcerpt, useTitleOf } from './text.ts'

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
  const q = useSettled(typed.trim())
  const query = { q, limit: PAGE, ...(conversationId !== undefined && { conversationId }) }
  const found = useInfiniteQuery({
    queryKey: ['messages', 'search', query],
    queryFn: ({ pageParam: beforeId }) =>
      call('messages.search', { query: { ...query, ...(beforeId !== undefined && { beforeId }) } }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ items, hasMore }) => (hasMore ? items.at(-1)?.id : undefined),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  })
  const items = q === '' ? undefined : found.data?.pages.flatMap((page) => page.items)
  const conversations = useAll('conversations.list')
  const titleOf = useTitleOf()
  const titles = new Map(conversations.data?.map((each) => [each.id, titleOf(each)]))
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
        {found.error !== null && <ErrorNotice error={found.error} />}
        {found.isFetching && <Loading />}
        {items?.length === 0 && <EmptyState icon={ManageSearch} title={t.none} text={t.noneText} />}
        <List>
          {items?.map((message) => {
            const title = titles.get(message.conversationId) ?? ''
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
        {items !== undefined && found.hasNextPage && (
          <Stack sx={{ alignItems: 'center' }}>
            <Button onClick={() => void found.fetchNextPage()} loading={found.isFetching}>
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
