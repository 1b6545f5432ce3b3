/** The personal invitations to an activity, for its managers. */

import { Add, ContentCopy, MailOutlined } from '@mui/icons-material'
import { Box, Button, Card, CardActionArea, CardContent, IconButton, Stack, Tooltip, Typography } from '@mui/material'
import { useState } from 'react'

import { usePages } from '../../../api/pages.ts'
import type { Activity, ActivityInvitation } from '../../../api/types.ts'
import { dateTime } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { EmptyState } from '../../../ui/Answer.tsx'
import { useCopy } from '../../../ui/copy.ts'
import { Nothing, part } from '../../../ui/part.tsx'
import { Row, Rows } from '../../../ui/Rows.tsx'
import { Status } from '../../../ui/Status.tsx'
import { useFilters } from '../../../ui/use-filters.ts'
import { useRights } from '../rights.ts'
import { SearchAndStatus } from '../SearchAndStatus.tsx'
import { activityWords } from '../words.ts'
import { type InvitationState, invitationWords, mailText, STATES, titleOf, TONES } from './words.ts'

const InviteDialog = part(() => import('./InviteDialog.tsx'), Nothing)
const InvitationDialog = part(() => import('./InvitationDialog.tsx'), Nothing)

const words = texts({
  en: {
    text: 'Each invitation has a link and a code of its own, for one registration.',
    empty: 'No invitations yet',
    emptyText: 'Invite people by e-mail, or make links that you pass on yourself. Each is good for one registration.',
    copyOf: (name: string) => `Copy the link of ${name}`,
    opened: (time: string) => `opened ${time}`,
  },
  zh: {
    text: '每个邀请都有各自的链接和邀请码，仅可用于一次报名。',
    empty: '还没有邀请',
    emptyText: '可通过邮件邀请，也可生成链接自行分发。每个邀请仅可用于一次报名。',
    copyOf: (name: string) => `复制 ${name} 的邀请链接`,
    opened: (time: string) => `${time} 打开`,
  },
})

export default function Invitations({ activity }: { activity: Activity }) {
  const t = useTexts(words)
  const names = useTexts(invitationWords)
  const shared = useTexts(activityWords)
  const can = useRights(activity)
  const { filters, set, query: filter } = useFilters({ keyword: '', status: null as InvitationState | null })
  const { status, ...keyword } = filter
  const query = usePages(
    'activityInvitations.list',
    { params: { id: activity.id }, query: { ...keyword, ...(status && { state: status }) } },
    { isChanging: ({ mail }) => mail?.state === 'QUEUED' },
  )
  const [isInviting, setInviting] = useState(false)
  const [shown, setShown] = useState<number>()
  const isFiltered = Object.keys(filter).length > 0
  const isEmpty = !isFiltered && query.items?.length === 0
  const isOver = activity.status === 'ENDED' || activity.status === 'CANCELLED'
  const create = !isOver && can('activityInvitations.create') && (
    <Button variant="contained" startIcon={<Add />} onClick={() => setInviting(true)} data-create>
      {names.invite}
    </Button>
  )
  const invitation = query.items?.find(({ id }) => id === shown)
  return (
    <Stack spacing={2}>
      {!isEmpty && (
        <Stack direction="row" spacing={2} useFlexGap sx={{ flexWrap: 'wrap', alignItems: 'center' }}>
          <Typography color="text.secondary" sx={{ flex: 1, minWidth: 200 }}>
            {t.text}
          </Typography>
          {create}
        </Stack>
      )}
      <Card variant="outlined">
        <CardContent>
          {!isEmpty && (
            <SearchAndStatus
              filters={filters}
              set={set}
              statuses={STATES.map((id) => ({ id, name: names.states[id] }))}
            />
          )}
          <Rows
            query={query}
            label={names.invitations}
            keyOf={({ id }) => id}
            empty={
              isFiltered ? (
                shared.notFound
              ) : (
                <EmptyState icon={MailOutlined} title={t.empty} text={t.emptyText} action={create} />
              )
            }
          >
            {(item) => <InvitationRow invitation={item} onShow={() => setShown(item.id)} />}
          </Rows>
        </CardContent>
      </Card>
      {isInviting && <InviteDialog activity={activity} onClose={() => setInviting(false)} />}
      {invitation && (
        <InvitationDialog activity={activity} invitation={invitation} onClose={() => setShown(undefined)} />
      )}
    </Stack>
  )
}

function InvitationRow({ invitation, onShow }: { invitation: ActivityInvitation; onShow: () => void }) {
  const t = useTexts(words)
  const names = useTexts(invitationWords)
  const copy = useCopy()
  const { name, email, code, url, state, openedAt, overCapacity } = invitation
  const title = titleOf(invitation, names)
  const details = [
    name !== null && email,
    mailText(invitation, names),
    openedAt !== null && state === 'OPEN' && t.opened(dateTime(openedAt)),
    overCapacity && names.overCapacity,
  ].filter(Boolean)
  return (
    <Stack direction="row" spacing={1} sx={{ alignItems: 'center', mx: -1 }}>
      <CardActionArea
        onClick={onShow}

        sx={{ borderRadius: 1, p: 1, minWidth: 0 }}
      >
        <Row
          title={<Typography sx={{ fontWeight: 600 }}>{title}</Typography>}
          details={
            <>
              <Box component="code" sx={{ fontFamily: 'monospace' }}>
                {code}
              </Box>
              {details.length > 0 && <div>{details.join(' · ')}</div>}
            </>
          }
          actions={<Status tone={TONES[state]} text={names.states[state]} />}
        />
      </CardActionArea>
      {state === 'OPEN' && (
        <Tooltip title={names.copyLink}>
          <IconButton aria-label={t.copyOf(`${title} ${code}`)} onClick={() => copy(url)}>
            <ContentCopy />
          </IconButton>
        </Tooltip>
      )}
    </Stack>
  )
}
