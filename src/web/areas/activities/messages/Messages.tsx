/** Messages of organizers to the participants of an activity, and automatic notices, the newest first. */

import { Add, CampaignOutlined } from '@mui/icons-material'
import { Box, Button, Card, CardActionArea, CardContent, Stack, Typography } from '@mui/material'
import { Link } from 'react-router'

import { usePages } from '../../../api/pages.ts'
import type { Activity, ActivityMessage } from '../../../api/types.ts'
import { dateTime } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useSession } from '../../../session/session.ts'
import { EmptyState } from '../../../ui/Answer.tsx'
import { Row, Rows } from '../../../ui/Rows.tsx'
import { EnumStatus } from '../../../ui/Status.tsx'
import { useRights } from '../rights.ts'
import { authorOf, isChanging, messageWords, numbersOf } from './words.ts'

const words = texts({
  en: {
    create: 'New message',
    text: 'Messages to participants, and the notices of another time or place, or of a cancellation.',
    empty: 'No messages yet',
    emptyText:
      'Write to everyone who is registered, or to some of them, in the app and by e-mail. When you change the time or the place, or cancel the activity, the form asks whether to notify them.',
    at: (time: string) => `Goes out ${time}`,
  },
  zh: {
    create: '新消息',
    text: '已发的消息，以及时间、地点变更和活动取消时自动发出的通知。',
    empty: '还没有消息',
    emptyText: '可通过应用内通知和邮件，写给所有已报名者或其中一部分人。时间、地点变更或取消活动时会自动通知他们。',
    at: (time: string) => `将于 ${time} 发出`,
  },
})

export function Messages({ activity }: { activity: Activity }) {
  const t = useTexts(words)
  const shared = useTexts(messageWords)
  const can = useRights(activity)
  const query = usePages('activityMessages.list', { params: { id: activity.id } }, { isChanging })
  const create = can('activityMessages.create') && activity.status !== 'DRAFT' && (
    <Button
      variant="contained"
      startIcon={<Add />}
      component={Link}
      to={`/activities/${activity.id}/messages/new`}
      data-create
    >
      {t.create}
    </Button>
  )
  const isEmpty = query.items?.length === 0
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
          <Rows
            query={query}
            label={shared.messages}
            keyOf={({ id }) => id}
            empty={<EmptyState icon={CampaignOutlined} title={t.empty} text={t.emptyText} action={create} />}
          >
            {(message) => <MessageRow activityId={activity.id} message={message} />}
          </Rows>
        </CardContent>
      </Card>
    </Stack>
  )
}

function MessageRow({ activityId, message }: { activityId: number; message: ActivityMessage }) {
  const t = useTexts(words)
  const shared = useTexts(messageWords)
  const { user } = useSession()
  const { id, subject, state, sendAt } = message
  const isWaiting = state === 'SCHEDULED'
  return (
    <Box sx={{ mx: -1 }}>
      <CardActionArea component={Link} to={`/activities/${activityId}/messages/${id}`} sx={{ borderRadius: 1, p: 1 }}>
        <Row
          title={<Typography sx={{ fontWeight: 600 }}>{subject}</Typography>}
          details={
            <>
              <div>
                {[authorOf(message, user.id, shared), isWaiting ? t.at(dateTime(sendAt)) : dateTime(sendAt)].join(
                  ' · ',
                )}
              </div>
              {!isWaiting && state !== 'CANCELLED' && <div>{numbersOf(message, shared)}</div>}
            </>
          }
          actions={<EnumStatus of="activityMessageState" value={state} />}
        />
      </CardActionArea>
    </Box>
  )
}
