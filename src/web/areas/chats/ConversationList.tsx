/** The conversations, pinned ones first, then those with the newest message. New messages move them up by themselves. */

import {
  Add,
  BookmarkBorder,
  Chat,
  GroupAdd,
  ManageSearch,
  NotificationsOffOutlined,
  PushPin,
} from '@mui/icons-material'
import {
  Box,
  Button,
  Chip,
  IconButton,
  List,
  ListItem,
  ListItemAvatar,
  ListItemButton,
  ListItemText,
  Stack,
  Tooltip,
  Typography,
} from '@mui/material'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'

import { usePages } from '../../api/pages.ts'
import type { Conversation } from '../../api/types.ts'
import { clockTime, date } from '../../i18n/format.ts'
import { useTexts } from '../../i18n/words.ts'
import { useMay, useSession } from '../../session/session.ts'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { IconMenu, MenuEntry } from '../../ui/MenuButton.tsx'
import { useFocusedTitle } from '../../ui/Page.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { ConversationPortrait } from './ConversationPortrait.tsx'
import { useKeptText } from './drafts.ts'
import { GroupDialog } from './GroupDialog.tsx'
import { useOpenNotes } from './open-notes.ts'
import { PersonDialog } from './PeopleDialog.tsx'
import { SearchDialog } from './SearchDialog.tsx'
import { useExcerpt, useNames, useTitleOf } from './text.ts'
import { words } from './words.ts'

export function ConversationList({ openId }: { openId: number | undefined }) {
  const t = useTexts(words)
  const may = useMay()
  const navigate = useNavigate()
  const [keyword, setKeyword] = useState('')
  const [dialog, setDialog] = useState<'group' | 'person' | 'search'>()
  const list = usePages('conversations.list', { query: { ...(keyword !== '' && { keyword }) } })
  const openNotes = useOpenNotes()
  const close = () => setDialog(undefined)
  const heading = useFocusedTitle()
  return (
    <>
      <Stack spacing={1} sx={{ p: 1.5, pb: 1 }}>
        <Stack direction="row" sx={{ alignItems: 'center' }}>
          <Typography variant="h1" ref={heading} tabIndex={-1} sx={{ flex: 1, outline: 0 }}>
            {t.title}
          </Typography>
          {may('messages.search') && (
            <Tooltip title={t.searchAll}>
              <IconButton aria-label={t.searchAll} onClick={() => setDialog('search')}>
                <ManageSearch />
              </IconButton>
            </Tooltip>
          )}
          {may('messages.send') && (
            <IconMenu label={t.newChat} icon={<Add />} hasTooltip color="primary" data-create>
              <MenuEntry icon={<Chat />} text={t.newChat} onClick={() => setDialog('person')} />
              <MenuEntry icon={<GroupAdd />} text={t.newGroup} onClick={() => setDialog('group')} />
              {may('chats.openNotes') && (
                <MenuEntry icon={<BookmarkBorder />} text={t.notes} onClick={() => openNotes.mutate()} />
              )}
            </IconMenu>
          )}
        </Stack>
        <SearchField label={t.search} value={keyword} onSearch={setKeyword} />
      </Stack>
      <Box sx={{ flex: 1, overflowY: 'auto', minHeight: 0 }}>
        {list.error !== null && <ErrorNotice error={list.error} onRetry={list.retry} />}
        {list.items === undefined && list.error === null && <Loading />}
        {list.items?.length === 0 && (
          <EmptyState
            icon={Chat}
            title={keyword === '' ? t.empty : t.none}
            text={keyword === '' ? t.emptyText : t.noneText}
            action={
              keyword === '' && (
                <Button variant="contained" onClick={() => setDialog('person')}>
                  {t.newChat}
                </Button>
              )
            }
          />
        )}
        <List disablePadding>
          {list.items?.map((each) => (
            <Row key={each.id} conversation={each} isOpen={each.id === openId} />
          ))}
        </List>
        <MoreButton shown={list.items?.length ?? 0} total={list.total} onMore={list.more} isLoading={list.isLoading} />
      </Box>
      {dialog === 'group' && <GroupDialog onClose={close} />}
      {dialog === 'search' && <SearchDialog onClose={close} />}
      {dialog === 'person' && (
        <PersonDialog
          title={t.newChat}
          onClose={close}
          {...(may('chats.openNotes') && {
            onNotes: () => {
              close()
              openNotes.mutate()
            },
          })}
          onChosen={(userId) => {
            close()
            void navigate(`/chats/with/${userId}`)
          }}
        />
      )}
    </>
  )
}

const isToday = (time: number): boolean => new Date(time).toDateString() === new Date().toDateString()

function Row({ conversation, isOpen }: { conversation: Conversation; isOpen: boolean }) {
  const t = useTexts(words)
  const excerpt = useExcerpt()
  const { user } = useSession()
  const title = useTitleOf()(conversation)
  const { id, isNotes, avatarUrl, peer, group, lastMessage, unreadCount, mentioned, pinned, muted } = conversation
  const kept = useKeptText(id)
  const draft = kept ?? conversation.draft
  const nameOf = useNames(undefined, peer && { userId: peer.userId, title })
  const time = lastMessage?.createdAt ?? conversation.createdAt
  const said = lastMessage === null ? '' : excerpt(lastMessage, nameOf)
  // The list has no names of members. Events of the group and recalls name the person themselves.
  const isMine = group !== null && lastMessage !== null && lastMessage.senderId === user.id && !lastMessage.recalled
  const text = isMine ? t.said(nameOf(user.id), said) : said
  return (
    <ListItem disablePadding>
      <ListItemButton
        component={Link}
        to={`/chats/${id}`}
        selected={isOpen}
        {...(isOpen && { 'aria-current': 'page' })}
        sx={{ gap: 0.5, py: 1 }}
      >
        <ListItemAvatar>
          <ConversationPortrait name={title} url={avatarUrl} isNotes={isNotes} />
        </ListItemAvatar>
        <ListItemText
          disableTypography
          primary={
            <Stack direction="row" spacing={1} sx={{ alignItems: 'center' }}>
              <Typography noWrap sx={{ flex: 1, fontWeight: unreadCount > 0 ? 650 : 500 }}>
                {title}
              </Typography>
              {pinned && <PushPin titleAccess={t.pinned} sx={{ fontSize: 15, color: 'text.secondary' }} />}
              {muted && (
                <NotificationsOffOutlined titleAccess={t.muted} sx={{ fontSize: 15, color: 'text.secondary' }} />
              )}
              <Typography variant="caption" color="text.secondary">
                {isToday(time) ? clockTime(time) : date(time)}
              </Typography>
            </Stack>
          }
          secondary={
            <Stack direction="row" spacing={1} sx={{ alignItems: 'center' }}>
              <Typography variant="body2" color="text.secondary" noWrap sx={{ flex: 1 }}>
                {mentioned && (
                  <Box component="span" sx={{ color: 'error.main' }}>
                    [{t.mentioned}]{' '}
                  </Box>
                )}
                {draft !== '' && !isOpen ? (
                  <>
                    <Box component="span" sx={{ color: 'error.main' }}>
                      {t.draft}
                    </Box>{' '}
                    {draft}
                  </>
                ) : (
                  text || ' '
                )}
              </Typography>
              {unreadCount > 0 && (
                <Chip
                  size="small"
                  color={muted ? 'default' : 'error'}
                  label={unreadCount > 99 ? '99+' : unreadCount}
                  aria-label={t.unreadCount(unreadCount)}
                  sx={{ height: 20, fontWeight: 650 }}
                />
              )}
            </Stack>
          }
        />
      </ListItemButton>
    </ListItem>
  )
}
