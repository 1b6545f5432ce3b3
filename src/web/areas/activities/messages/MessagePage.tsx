/** The record of one message or notice: its text, and the state of each recipient. */

import { Delete } from '@mui/icons-material'
import { LinearProgress, Stack, Typography } from '@mui/material'
import { useNavigate, useParams } from 'react-router'

import { useCall } from '../../../api/hooks.ts'
import type { Activity, ActivityMessage } from '../../../api/types.ts'
import { useEnum } from '../../../i18n/enums.ts'
import { dateTime, list, number } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useSession } from '../../../session/session.ts'
import { ActionButton } from '../../../ui/ActionButton.tsx'
import { Answer } from '../../../ui/Answer.tsx'
import { Owned } from '../../../ui/Owned.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Facts, Figures, Section } from '../../../ui/parts.tsx'
import { Rendered } from '../../../ui/Rendered.tsx'
import { EnumStatus } from '../../../ui/Status.tsx'
import { useOwnerOf } from '../rights.ts'
import { audienceText, audienceWords } from './audience.ts'
import { Recipients } from './Recipients.tsx'
import { authorOf, isChanging, messageWords } from './words.ts'

const words = texts({
  en: {
    facts: 'About it',
    state: 'State',
    to: 'To',
    how: 'How',
    by: 'From',
    created: 'Written',
    goesOut: 'Goes out',
    finished: 'Finished',
    text: 'Text',
    change: 'Changes',
    cancellation: 'The activity is cancelled',
    from: (before: string, after: string) => `${before} → ${after}`,
    nothing: 'none',
    fields: { startTime: 'Start', endTime: 'End', location: 'Place', region: 'Region', position: 'Position' },
    people: 'People',
    inApp: 'In the app',
    mailed: 'E-mails sent',
    queued: 'E-mails waiting',
    failed: 'E-mails failed',
    skipped: 'Without e-mail',
    progress: 'Being sent',
    remove: 'Delete',
    removeTitle: 'Delete this message?',
    removeNotice: 'Delete this notice?',
    removeText: 'It is not sent to anyone.',
    removed: 'It is deleted and will not be sent.',
  },
  zh: {
    facts: '详情',
    state: '状态',
    to: '接收者',
    how: '发送方式',
    by: '发送者',
    created: '创建时间',
    goesOut: '发送时间',
    finished: '完成时间',
    text: '正文',
    change: '变更内容',
    cancellation: '活动已取消',
    from: (before: string, after: string) => `${before} → ${after}`,
    nothing: '无',
    fields: { startTime: '开始', endTime: '结束', location: '地点', region: '地区', position: '位置' },
    people: '人数',
    inApp: '应用内',
    mailed: '已发邮件',
    queued: '待发邮件',
    failed: '失败邮件',
    skipped: '未发邮件',
    progress: '发送中',
    remove: '删除',
    removeTitle: '删除此消息？',
    removeNotice: '删除此通知？',
    removeText: '将不会发给任何人。',
    removed: '已删除，不会发送。',
  },
})

export default function MessagePage() {
  const id = Number(useParams().id)
  const query = useCall('activities.get', { params: { id } })
  return <Answer query={query}>{(activity) => <OwnedMessage activity={activity} />}</Answer>
}

const OwnedMessage = ({ activity }: { activity: Activity }) => (
  <Owned orgId={useOwnerOf(activity)}>
    <Message activity={activity} />
  </Owned>
)

function Message({ activity }: { activity: Activity }) {
  const t = useTexts(words)
  const shared = useTexts(messageWords)
  const navigate = useNavigate()
  const params = { id: activity.id, messageId: Number(useParams().messageId) }
  const query = useCall(
    'activityMessages.get',
    { params },
    { every: 2_000, isLast: (message) => !isChanging(message) && message.state !== 'SCHEDULED' },
  )
  const message = query.data
  const back = `/activities/${activity.id}?tab=messages`
  return (
    <Page
      title={message?.subject ?? shared.messages}
      back={back}
      actions={
        message?.state === 'SCHEDULED' && (
          <ActionButton
            operation="activityMessages.delete"
            input={{ params }}
            label={t.remove}
            icon={<Delete />}
            title={message.kind === 'MESSAGE' ? t.removeTitle : t.removeNotice}
            text={t.removeText}
            done={t.removed}
            refreshes={['activityMessages.list']}
            onDone={() => void navigate(back, { replace: true })}
          />
        )
      }
    >
      <Answer query={query}>{(shown) => <Shown activity={activity} message={shown} />}</Answer>
    </Page>
  )
}

function Shown({ activity, message }: { activity: Activity; message: ActivityMessage }) {
  const t = useTexts(words)
  const shared = useTexts(messageWords)
  const audience = useTexts(audienceWords)
  const channelOf = useEnum('messageChannel')
  const { user } = useSession()
  const { state, kind, body, bodyHtml, filter, channels, recipients, app, email } = message
  const isWaiting = state === 'SCHEDULED'
  const hasMail = channels.includes('EMAIL')
  return (
    <Stack spacing={2}>
      {state === 'RUNNING' && <LinearProgress aria-label={t.progress} />}
      {!isWaiting && (
        <Figures
          items={[
            [t.people, number(recipients)],
            ...(channels.includes('APP') ? [[t.inApp, number(app.sent)] as const] : []),
            ...(hasMail
              ? ([
                  [t.mailed, number(email.sent)],
                  ...(email.queued > 0 ? [[t.queued, number(email.queued)] as const] : []),
                  [t.failed, number(email.failed)],
                  [t.skipped, number(email.skipped)],
                ] as const)
              : []),
          ]}
        />
      )}
      <Section title={kind === 'MESSAGE' ? t.text : kind === 'CANCELLED' ? t.cancellation : t.change}>
        <Stack spacing={2}>
          {message.changes.length > 0 && <Changes message={message} />}
          {bodyHtml !== '' ? (
            <Rendered html={bodyHtml} />
          ) : (
            body !== '' && <Typography sx={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>{body}</Typography>
          )}
        </Stack>
      </Section>
      <Section title={t.facts}>
        <Facts
          items={[
            [t.state, <EnumStatus key="state" of="activityMessageState" value={state} />],
            [t.to, audienceText(filter, audience)],
            [t.how, list(channels.map(channelOf))],
            [t.by, authorOf(message, user.id, shared)],
            [t.created, dateTime(message.createdAt)],
            [t.goesOut, isWaiting && dateTime(message.sendAt)],
            [t.finished, dateTime(message.finishedAt)],
          ]}
        />
      </Section>
      {!isWaiting && <Recipients activity={activity} message={message} />}
    </Stack>
  )
}

function Changes({ message: { changes } }: { message: ActivityMessage }) {
  const t = useTexts(words)
  const shown = (value: unknown) =>
    typeof value === 'number' ? dateTime(value) : ((value as string | null) ?? t.nothing)
  return (
    <Facts items={changes.map(({ field, before, after }) => [t.fields[field], t.from(shown(before), shown(after))])} />
  )
}
