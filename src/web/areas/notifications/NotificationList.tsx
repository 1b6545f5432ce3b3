/** All notifications of the user, the newest first. New ones appear by themselves. */

import { DeleteOutlined, DoneAll, MarkEmailReadOutlined, NotificationsNone } from '@mui/icons-material'
import {
  Box,
  Button,
  Card,
  Chip,
  IconButton,
  List,
  ListItem,
  ListItemButton,
  ListItemText,
  MenuItem,
  Stack,
  TextField,
  ToggleButton,
  ToggleButtonGroup,
  Tooltip,
  Typography,
} from '@mui/material'
import { useEffect, useState } from 'react'
import { Link } from 'react-router'

import { usePages } from '../../api/pages.ts'
import type { Notification, NotificationType } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { dateTime, relativeTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useUnread } from '../../session/live.ts'
import { useMay } from '../../session/session.ts'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { focusTitle, Page } from '../../ui/Page.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { DeleteDialog } from './DeleteDialog.tsx'
import { DevicePush } from './DevicePush.tsx'
import { typeWords } from './links.ts'
import { MailChoices } from './MailChoices.tsx'
import { useNotificationActions } from './use-notifications.ts'

const words = texts({
  en: {
    ...common.en,
    title: 'Notifications',
    unread: 'Unread',
    kind: 'About',
    everything: 'Everything',
    readAll: 'Mark all as read',
    read: 'Mark as read',
    isNew: 'New',
    empty: 'No notifications yet',
    emptyText: 'Invitations, loans, and changes of your account are reported here.',
    none: 'Nothing matches',
    noneText: 'No notification matches these filters.',
    reset: 'Show all',
  },
  zh: {
    ...common.zh,
    title: '通知',
    unread: '未读',
    kind: '类型',
    everything: '全部类型',
    readAll: '全部标为已读',
    read: '标为已读',
    isNew: '未读',
    empty: '还没有通知',
    emptyText: '组织邀请、借用提醒和账号变动会显示在这里。',
    none: '没有符合的通知',
    noneText: '没有符合筛选条件的通知。',
    reset: '显示全部',
  },
})

/** A notification to delete, and its place in the list. */
interface Chosen {
  readonly item: Notification
  readonly place: number
}

const NO_FILTERS = { isUnread: false, type: '' as NotificationType | '' }

export default function NotificationList() {
  const t = useTexts(words)
  const types = useTexts(typeWords)
  const may = useMay()
  const { notifications: unread } = useUnread()
  const { filters, set, query } = useFilters(NO_FILTERS)
  const { isUnread, ...chosen } = query
  const list = usePages('notifications.list', { query: { ...chosen, ...(isUnread && { read: false }) } })
  const { readAll } = useNotificationActions()
  const [deleting, setDeleting] = useState<Chosen>()
  const [deleted, setDeleted] = useState<Chosen>()
  const isGone = deleted !== undefined && list.items?.some(({ id }) => id === deleted.item.id) === false
  useEffect(() => {
    // The button that opened the question is gone. After the question has given the focus back, it goes to the row in its place.
    if (isGone) setTimeout(() => focusRow(deleted.place))
  }, [isGone, deleted])
  const isFiltered = Object.keys(query).length > 0
  return (
    <Page
      title={t.title}
      width="form"
      actions={
        unread > 0 &&
        may('notifications.readAll') && (
          <Button startIcon={<DoneAll />} loading={readAll.isPending} onClick={() => readAll.mutate()}>
            {t.readAll}
          </Button>
        )
      }
    >
      <DevicePush />
      <MailChoices />
      <Stack direction="row" spacing={1.5} useFlexGap sx={{ mb: 2, flexWrap: 'wrap' }}>
        <ToggleButtonGroup
          exclusive
          size="small"
          value={isUnread ? 'unread' : 'all'}
          onChange={(_, value) => value !== null && set({ isUnread: value === 'unread' })}
        >
          <ToggleButton value="all" sx={{ px: 2 }}>
            {t.all}
          </ToggleButton>
          <ToggleButton value="unread" sx={{ px: 2 }}>
            {t.unread}
          </ToggleButton>
        </ToggleButtonGroup>
        <TextField
          select
          label={t.kind}
          value={filters.type}
          onChange={({ target }) => set({ type: target.value as NotificationType | '' })}
          sx={{ minWidth: 190 }}
          slotProps={{ select: { displayEmpty: true }, inputLabel: { shrink: true } }}
        >
          <MenuItem value="">{t.everything}</MenuItem>
          {Object.entries(types).map(([id, name]) => (
            <MenuItem key={id} value={id}>
              {name}
            </MenuItem>
          ))}
        </TextField>
      </Stack>
      {list.error !== null && <ErrorNotice error={list.error} onRetry={list.retry} />}
      {list.items === undefined && list.error === null && <Loading />}
      {list.items?.length === 0 && (
        <EmptyState
          icon={NotificationsNone}
          title={isFiltered ? t.none : t.empty}
          text={isFiltered ? t.noneText : t.emptyText}
          action={isFiltered && <Button onClick={() => set(NO_FILTERS)}>{t.reset}</Button>}
        />
      )}
      {list.items !== undefined && list.items.length > 0 && (
        <Card>
          <List disablePadding>
            {list.items.map((item, place) => (
              <Row key={item.id} item={item} onDelete={() => setDeleting({ item, place })} />
            ))}
          </List>
        </Card>
      )}
      <MoreButton shown={list.items?.length ?? 0} total={list.total} onMore={list.more} isLoading={list.isLoading} />
      <DeleteDialog
        notification={deleting?.item}
        onDeleted={() => {
          setDeleted(deleting)
          setDeleting(undefined)
        }}
        onClose={() => setDeleting(undefined)}
      />
    </Page>
  )
}

/** The row at this place, otherwise the last one, or the title of the page if there is none. */
function focusRow(place: number): void {
  const rows = document.querySelectorAll<HTMLElement>('[data-notification]')
  const row = rows[Math.min(place, rows.length - 1)]
  if (row === undefined) focusTitle()
  else row.focus()
}

function Row({ item, onDelete }: { item: Notification; onDelete: () => void }) {
  const t = useTexts(words)
  const types = useTexts(typeWords)
  const may = useMay()
  const { read } = useNotificationActions()
  return (
    <ListItem
      disablePadding
      divider
      secondaryAction={
        <Stack direction="row">
          {!item.read && may('notifications.read') && (
            <Tooltip title={t.read}>
              <IconButton
                aria-label={`${t.read}: ${item.title}`}
                onClick={() => read.mutate({ params: { id: item.id } })}
              >
                <MarkEmailReadOutlined />
              </IconButton>
            </Tooltip>
          )}
          {may('notifications.delete') && (
            <Tooltip title={t.delete}>
              <IconButton edge="end" aria-label={`${t.delete}: ${item.title}`} onClick={onDelete}>
                <DeleteOutlined />
              </IconButton>
            </Tooltip>
          )}
        </Stack>
      }
      sx={{ '& > .MuiListItemButton-root': { pr: item.read ? 8 : 13 } }}
    >
      <ListItemButton
        component={Link}
        to={`/notifications/${item.id}`}
        data-notification=""
        sx={{ alignItems: 'flex-start', gap: 1.5 }}
      >
        <Box
          sx={{
            width: 9,
            height: 9,
            mt: 1,
            flexShrink: 0,
            borderRadius: '50%',
            bgcolor: item.read ? 'transparent' : 'primary.main',
          }}
          {...(!item.read && { role: 'img', 'aria-label': t.isNew })}
        />
        <ListItemText
          primary={item.title}
          secondary={
            <>
              <Typography
                component="span"
                variant="body2"
                sx={{
                  display: '-webkit-box',
                  WebkitLineClamp: 2,
                  WebkitBoxOrient: 'vertical',
                  overflow: 'hidden',
                  overflowWrap: 'anywhere',
                  whiteSpace: 'pre-line',
                }}
              >
                {item.bodyPlain.replaceAll(/\n{2,}/g, '\n')}
              </Typography>
              <Stack component="span" direction="row" spacing={1} sx={{ mt: 0.75, alignItems: 'center' }}>
                <Chip component="span" size="small" variant="outlined" label={types[item.type]} />
                <Typography component="span" variant="caption" title={dateTime(item.createdAt)}>
                  {relativeTime(item.createdAt)}
                </Typography>
              </Stack>
            </>
          }
          slotProps={{ primary: { sx: { fontWeight: item.read ? 400 : 650, overflowWrap: 'anywhere' } } }}
        />
      </ListItemButton>
    </ListItem>
  )
}
