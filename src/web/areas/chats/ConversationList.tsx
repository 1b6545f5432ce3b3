/** The conversations, pinned ones first, then those with the newest message. New messages move them up by themselves. */

import {
  Add,
  BookmarkBorder,
  Chat,
  Circle,
  GroupAdd,
  ManageSearch,
  MoreVert,
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
import { useEffect, useState } from 'react'
import { Link, useNavigate } from 'react-router'

import { useAll, usePages } from '../../api/pages.ts'
import type { Conversation, GroupMember } from '../../api/types.ts'
import { clockTime, date } from '../../i18n/format.ts'
import { useTexts } from '../../i18n/words.ts'
import { useMay, useSession } from '../../session/session.ts'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { IconMenu, MenuEntry } from '../../ui/MenuButton.tsx'
import { useFocusedTitle } from '../../ui/Page.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { ViewEntries } from './ConversationMenu.tsx'
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

/** Whether the row itself has the name of the sender. */
const isKnown = ({ lastMessage, lastMessageNames }: Conversation, userId: number): boolean =>
  [userId, null, ...lastMessageNames.map((each) => each.userId)].includes(lastMessage?.senderId ?? null)

/** Milliseconds for each member within which the members of a group are read, so that a message to a large group does not make all of them ask at once. */
const SPREAD = 10

/** The members of a group, if a message came by the socket whose sender the row does not name. */
function useSenders(conversation: Conversation, userId: number): readonly GroupMember[] | undefined {
  const { id, group } = conversation
  const isNeeded = group !== null && group.role !== null && !isKnown(conversation, userId)
  const [isRead, setRead] = useState(false)
  useEffect(() => {
    if (!isNeeded || isRead) return
    const timer = setTimeout(() => setRead(true), SPREAD * Math.random() * group.memberCount)
    return () => clearTimeout(timer)
  }, [isNeeded, isRead, group?.memberCount])
  return useAll('groups.members', { params: { id } }, { enabled: isNeeded && isRead }).data
}

function Row({ conversation, isOpen }: { conversation: Conversation; isOpen: boolean }) {
  const t = useTexts(words)
  const excerpt = useExcerpt()
  const { user } = useSession()
  const title = useTitleOf()(conversation)
  const { id, isNotes, avatarUrl, peer, group, lastMessage, unreadCount, markedUnread, mentioned, pinned, muted } =
    conversation
  const kept = useKeptText(id)
  const draft = kept ?? conversation.draft
  const members = useSenders(conversation, user.id)
  const nameOf = useNames(members, peer && { userId: peer.userId, title }, conversation.lastMessageNames)
  const time = lastMessage?.createdAt ?? conversation.createdAt
  const said = lastMessage === null ? '' : excerpt(lastMessage, nameOf)
  // Events of the group and recalls name the person themselves.
  const isSaid = group !== null && lastMessage !== null && lastMessage.senderId !== null && !lastMessage.recalled
  const isNamed = isSaid && (members !== undefined || isKnown(conversation, user.id))
  const text = isNamed ? t.said(nameOf(lastMessage.senderId), said) : said
  const isUnread = unreadCount > 0 || markedUnread
  return (
    <ListItem
      disablePadding
      secondaryAction={
        <IconMenu
          label={t.rowActions(title)}
          icon={<MoreVert fontSize="small" />}
          edge="end"
          size="small"
          className="actions"
          sx={{ opacity: { xs: 0.7, md: 0.35 }, '&:hover, &:focus-visible': { opacity: 1 } }}
        >
          <ViewEntries conversation={conversation} />
        </IconMenu>
      }
      // Beside the title: the number of unread messages is at the end of the line below.
      sx={{
        '&:hover .actions': { opacity: 1 },
        '& > .MuiListItemButton-root': { pr: 2 },
        '& > .MuiListItemSecondaryAction-root': { top: 22, right: 12 },
      }}
    >
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
            <Stack direction="row" spacing={1} sx={{ alignItems: 'center', pr: 3 }}>
              <Typography noWrap sx={{ flex: 1, fontWeight: isUnread ? 650 : 500 }}>
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
                    </Box>
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
              {unreadCount === 0 && markedUnread && (
                <Circle titleAccess={t.unread} color={muted ? 'disabled' : 'error'} sx={{ fontSize: 14 }} />
              )}
            </Stack>
          }
        />
      </ListItemButton>
    </ListItem>
  )
}
