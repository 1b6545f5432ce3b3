/** One participant, beside the list: answers, note, status, pass, check-in, messages and notices. */

import { Close } from '@mui/icons-material'
import { Box, Divider, Drawer, IconButton, Stack, Typography } from '@mui/material'

import { useCall } from '../../../api/hooks.ts'
import type { Activity } from '../../../api/types.ts'
import { useEnum } from '../../../i18n/enums.ts'
import { dateTime, timeIn } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { Answer } from '../../../ui/Answer.tsx'
import { Facts, type Item } from '../../../ui/parts.tsx'
import { EnumStatus, Status } from '../../../ui/Status.tsx'
import { CheckInByHand, PassOf } from './Arrival.tsx'
import { type Detail, Part } from './detail.tsx'
import { PersonActions, type PersonActionsProps } from './PersonActions.tsx'
import { LANGUAGES, participantWords, statusText, TONES } from './words.ts'

const words = texts({
  en: {
    reason: 'Reason',
    source: 'Source',
    email: 'E-mail',
    claimed: (email: string) => `${email} (not confirmed)`,
    createdAt: 'Registered',
    confirmedAt: 'Confirmed',
    answers: 'Answers',
    noAnswers: 'No answers',
    sent: 'Messages and notices',
    nothingSent: 'Nothing yet.',
    kinds: {
      CONFIRMED: 'Confirmation of the place',
      WAITING: 'Waiting list',
      REJECTED: 'Rejection',
      CANCELLED: 'Cancellation',
      PASS: 'Pass',
      INVITATION: 'Invitation',
      MESSAGE: 'Message',
      MOVED: 'New time',
      PLACE: 'New place',
    },
  },
  zh: {
    reason: '原因',
    source: '来源',
    email: '邮箱',
    claimed: (email: string) => `${email}（未确认）`,
    createdAt: '报名时间',
    confirmedAt: '确认时间',
    answers: '回答',
    noAnswers: '没有回答',
    sent: '消息和通知',
    nothingSent: '还没有。',
    kinds: {
      CONFIRMED: '报名成功',
      WAITING: '候补',
      REJECTED: '未通过',
      CANCELLED: '取消',
      PASS: '通行证',
      INVITATION: '邀请',
      MESSAGE: '消息',
      MOVED: '时间变更',
      PLACE: '地点变更',
    },
  },
})

export interface PersonProps {
  activity: Activity
  id: number
  onClose: () => void
}

export default function Person({ activity, id, onClose }: PersonProps) {
  const shared = useTexts(participantWords)
  const query = useCall('registrations.getAny', { params: { registrationId: id } })
  return (
    <Drawer
      anchor="right"
      open
      onClose={onClose}
      slotProps={{ paper: { sx: { width: { xs: '100%', sm: 540 } }, role: 'dialog', 'aria-labelledby': 'person' } }}
    >
      <Stack spacing={2.5} sx={{ p: { xs: 2, sm: 3 } }}>
        <Stack direction="row" spacing={1} sx={{ alignItems: 'flex-start' }}>
          <Typography id="person" variant="h2" sx={{ flex: 1, overflowWrap: 'anywhere', pt: 1 }}>
            {query.data?.nickname ?? ''}
          </Typography>
          <IconButton onClick={onClose} aria-label={shared.close} edge="end" size="large">
            <Close />
          </IconButton>
        </Stack>
        <Answer query={query}>{(person) => <Details activity={activity} person={person} onClose={onClose} />}</Answer>
      </Stack>
    </Drawer>
  )
}

function Details({ activity, person, onClose }: PersonActionsProps) {
  const t = useTexts(words)
  const shared = useTexts(participantWords)
  const { guest, answers, note, reason, status } = person
  const questions = activity.registration?.questions ?? []
  const labelOf = (key: string) => questions.find((question) => question.key === key)?.label ?? key
  const facts: Item[] = [
    [t.reason, reason],
    [t.source, shared.sources[person.source]],
    [t.email, emailOf(person, t.claimed)],
    [shared.language, guest && LANGUAGES.find(({ id }) => id === guest.language)?.name],
    [t.createdAt, timeIn(person.createdAt, activity.timeZone)],
    [t.confirmedAt, person.confirmedAt !== null && timeIn(person.confirmedAt, activity.timeZone)],
  ]
  return (
    <>
      <Status tone={TONES[status]} text={statusText(person, shared)} />
      <Facts items={facts} />
      <PersonActions activity={activity} person={person} onClose={onClose} />
      <Divider />
      <Part title={t.answers}>
        {Object.keys(answers).length === 0 ? (
          <Typography color="text.secondary">{t.noAnswers}</Typography>
        ) : (
          <Facts
            items={Object.entries(answers).map(([key, answer]) => [labelOf(key), <Lines key={key} text={answer} />])}
          />
        )}
      </Part>
      {note && (
        <Part title={shared.note}>
          <Lines text={note} />
        </Part>
      )}
      {activity.hasPass && <PassOf activity={activity} person={person} />}
      <CheckInByHand activity={activity} person={person} />
      <Part title={t.sent}>
        <Sent person={person} />
      </Part>
    </>
  )
}

/** The addresses of accounts are those that they have proved. */
const emailOf = ({ email, guest }: Detail, claimed: (email: string) => string): string | null =>
  email !== null && guest !== null && guest.confirmedAt === null ? claimed(email) : email

/** A text with its line breaks. */
const Lines = ({ text }: { text: string }) => (
  <Box component="span" sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
    {text}
  </Box>
)

function Sent({ person: { sent } }: { person: Detail }) {
  const t = useTexts(words)
  const channelOf = useEnum('messageChannel')
  const reasonOf = useEnum('deliveryReason')
  if (sent.length === 0) return <Typography color="text.secondary">{t.nothingSent}</Typography>
  return (
    <Stack component="ul" spacing={1} sx={{ m: 0, p: 0, listStyle: 'none' }}>
      {sent.map(({ kind, channel, state, sentAt, reason }, i) => (
        <Stack
          // Two of one kind may have left at the same moment.
          // oxlint-disable-next-line react/no-array-index-key
          key={i}
          component="li"
          direction="row"
          spacing={1}
          sx={{ justifyContent: 'space-between', alignItems: 'center' }}
        >
          <div>
            {t.kinds[kind]}
            <Typography variant="body2" color="text.secondary">
              {[channelOf(channel), sentAt !== null && dateTime(sentAt), reason !== null && reasonOf(reason)]
                .filter(Boolean)
                .join(' · ')}
            </Typography>
          </div>
          <EnumStatus of="deliveryState" value={state} />
        </Stack>
      ))}
    </Stack>
  )
}
