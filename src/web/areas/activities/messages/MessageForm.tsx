/** Writes to the participants of an activity, or to some of them: now, or at a time. */

import { Send } from '@mui/icons-material'
import { Alert, FormControl, FormHelperText, FormLabel, Stack, TextField, Typography } from '@mui/material'
import { useRef, useState } from 'react'
import { useLocation, useNavigate, useParams } from 'react-router'

import { useCall } from '../../../api/hooks.ts'
import { newId } from '../../../api/new-id.ts'
import type { Activity, MessageChannel, ParticipantFilter } from '../../../api/types.ts'
import { serverTime } from '../../../browser/server-time.ts'
import { useEnum } from '../../../i18n/enums.ts'
import { dateTime, inputTime, number } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useSession } from '../../../session/session.ts'
import { Answer, ErrorNotice } from '../../../ui/Answer.tsx'
import { ConfirmDialog } from '../../../ui/dialogs.tsx'
import { CheckField, ToggleField } from '../../../ui/fields.tsx'
import { Form } from '../../../ui/Form.tsx'
import { MarkdownEditor } from '../../../ui/Markdown.tsx'
import { Owned } from '../../../ui/Owned.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Section } from '../../../ui/parts.tsx'
import { useForm } from '../../../ui/use-form.tsx'
import { useOwnerOf } from '../rights.ts'
import { EVERYBODY, filterOf } from './audience.ts'
import { AudienceField } from './AudienceField.tsx'
import { MailPreview } from './MailPreview.tsx'
import { CHANNELS, type Reach, useRecipients } from './use-recipients.ts'
import { messageWords } from './words.ts'

const words = texts({
  en: {
    title: 'New message',
    to: 'Recipients',
    selected: (n: number) => (n === 1 ? 'The selected person.' : `The ${number(n)} selected people.`),
    shown: 'Everybody whom search and filters of the list of participants showed.',
    text: 'Text',
    channels: 'How',
    subject: 'Subject',
    body: 'Text (Markdown)',
    attachPass: 'With a link to their pass',
    attachPassHelp: 'In the mails to people who have a valid pass.',
    when: 'When',
    now: 'Send now',
    later: 'At a time',
    sendAt: 'Time',
    sendAtHelp: 'It goes to the people who match at that time. You can delete it until then.',
    send: 'Send',
    schedule: 'Schedule',
    sent: 'The message is being sent.',
    scheduled: 'The message is scheduled.',
    noChannel: 'Choose at least one.',
    nobody: 'Nobody matches. Choose other recipients.',
    inApp: (n: number) => `${number(n)} in the app`,
    byMail: (n: number) => `${number(n)} by e-mail`,
    unreached: (n: number) =>
      n === 1
        ? '1 person has no confirmed e-mail address and is not reached.'
        : `${number(n)} people have no confirmed e-mail address and are not reached.`,
    unmailed: (n: number) =>
      n === 1
        ? '1 person has no confirmed e-mail address and gets it only in the app.'
        : `${number(n)} people have no confirmed e-mail address and get it only in the app.`,
    noMail: 'This server has no mail server, so messages go to the app only.',
    budget: (left: number) =>
      left === 0
        ? 'The daily limit of e-mails is reached. Send it in the app only, or tomorrow.'
        : `Only ${number(left)} e-mails can be sent today. Choose fewer recipients, send it in the app only, or tomorrow.`,
    ask: (n: number) => (n === 1 ? 'Send it to 1 person?' : `Send it to ${number(n)} people?`),
    askText: 'A message that was sent cannot be taken back.',
    askLater: (n: number, time: string) =>
      n === 1 ? `Send it to 1 person at ${time}?` : `Send it to ${number(n)} people at ${time}?`,
  },
  zh: {
    title: '新消息',
    to: '接收者',
    selected: (n: number) => `所选的 ${number(n)} 人。`,
    shown: '报名名单中按搜索和筛选显示的所有人。',
    text: '内容',
    channels: '发送方式',
    subject: '主题',
    body: '正文（Markdown）',
    attachPass: '附上通行证链接',
    attachPassHelp: '在发给持有有效通行证者的邮件中。',
    when: '发送时间',
    now: '立即发送',
    later: '定时发送',
    sendAt: '时间',
    sendAtHelp: '届时发给符合条件的人，在此之前可以删除。',
    send: '发送',
    schedule: '定时',
    sent: '消息正在发送。',
    scheduled: '消息已定时。',
    noChannel: '请至少选择一种。',
    nobody: '没有符合条件的人，请选择其他接收者。',
    inApp: (n: number) => `应用内 ${number(n)} 人`,
    byMail: (n: number) => `邮件 ${number(n)} 人`,
    unreached: (n: number) => `${number(n)} 人没有已验证的邮箱，无法送达。`,
    unmailed: (n: number) => `${number(n)} 人没有已验证的邮箱，只在应用内收到。`,
    noMail: '服务器未配置邮件服务，消息仅在应用内发送。',
    budget: (left: number) =>
      left === 0
        ? '今日邮件额度已用完。可仅在应用内发送，或明天再发。'
        : `今日仅可再发 ${number(left)} 封邮件。请减少接收者、仅在应用内发送，或明天再发。`,
    ask: (n: number) => `发送给 ${number(n)} 人？`,
    askText: '已发送的消息无法收回。',
    askLater: (n: number, time: string) => `于 ${time} 发送给 ${number(n)} 人？`,
  },
})

export default function MessageForm() {
  const id = Number(useParams().id)
  const query = useCall('activities.get', { params: { id } })
  return <Answer query={query}>{(activity) => <OwnedForm activity={activity} />}</Answer>
}

const OwnedForm = ({ activity }: { activity: Activity }) => (
  <Owned orgId={useOwnerOf(activity)}>
    <Write activity={activity} />
  </Owned>
)

const APP_ONLY: readonly MessageChannel[] = ['APP']

const EMPTY = {
  ...EVERYBODY,
  subject: '',
  body: '',
  channels: CHANNELS,
  attachPass: false,
  when: 'NOW' as 'NOW' | 'LATER',
  sendAt: null as number | null,
}

function Write({ activity }: { activity: Activity }) {
  const t = useTexts(words)
  const { mailAvailable } = useSession().user
  const navigate = useNavigate()
  // From the list of participants. A reload keeps it.
  const chosen = (useLocation().state as { filter: ParticipantFilter; count?: number } | null) ?? undefined
  const back = `/activities/${activity.id}?tab=${chosen ? 'registrations' : 'messages'}`
  const request = useRef({ asked: '', id: '' })
  const form = useForm(
    'activityMessages.create',
    { ...EMPTY, channels: mailAvailable ? CHANNELS : APP_ONLY },
    {
      asks: true,
      paths: { status: 'filter', pass: [], checkedIn: [], when: [] },
      onDone: (message) =>
        void navigate(`/activities/${activity.id}/messages/${(message as { id: number }).id}`, { replace: true }),
      input({ subject, body, channels, attachPass, when, sendAt, ...audience }) {
        const filter = chosen?.filter ?? filterOf(audience)
        const message = {
          subject: subject.trim(),
          body,
          channels: [...channels],
          attachPass: attachPass && channels.includes('EMAIL'),
          ...(filter && { filter }),
          ...(when === 'LATER' && sendAt !== null && { sendAt }),
        }
        // A repeated request is answered with the message of the first one. A form that was changed is another request.
        const asked = JSON.stringify(message)
        if (request.current.asked !== asked) request.current = { asked, id: newId() }
        return { params: { id: activity.id }, body: { ...message, requestId: request.current.id } }
      },
    },
  )
  const { subject, body, channels, attachPass, when, sendAt, status, pass, checkedIn } = form.values
  const isLater = when === 'LATER'
  const filter = chosen?.filter ?? filterOf({ status, pass, checkedIn })
  const reach = useRecipients(activity.id, { filter, channels })
  const count = reach.data?.recipients
  const isOverBudget = reach.data !== undefined && isShort(reach.data)
  const ask = isLater ? t.askLater(count ?? 0, dateTime(sendAt)) : t.ask(count ?? 0)
  return (
    <Page title={t.title} back={back}>
      <Form
        form={form}
        action={isLater ? t.schedule : t.send}
        icon={<Send />}
        cancel={back}
        isDisabled={!count || isOverBudget}
      >
        <Section title={t.to}>
          <Stack spacing={2}>
            {chosen ? (
              <Typography>{chosen.count === undefined ? t.shown : t.selected(chosen.count)}</Typography>
            ) : (
              <AudienceField activity={activity} value={form.values} onChange={form.set} />
            )}
            {mailAvailable ? (
              <Channels value={channels} onChange={(next) => form.set({ channels: next })} />
            ) : (
              <Typography color="text.secondary">{t.noMail}</Typography>
            )}
            {reach.error !== null && <ErrorNotice error={reach.error} onRetry={() => void reach.refetch()} />}
            <Reached reach={reach.data} channels={channels} />
          </Stack>
        </Section>
        <Section title={t.text}>
          <Stack spacing={2}>
            <TextField {...form.text('subject', { label: t.subject })} />
            <MarkdownEditor
              {...form.pick('body', { label: t.body })}
              rows={12}
              preview={<MailPreview activityId={activity.id} subject={subject} body={body} attachPass={attachPass} />}
            />
            {activity.hasPass && channels.includes('EMAIL') && (
              <CheckField {...form.check('attachPass', { label: t.attachPass, help: t.attachPassHelp })} isBox />
            )}
          </Stack>
        </Section>
        <Section title={t.when}>
          <Stack spacing={2}>
            <ToggleField
              value={when}
              onChange={(next) => form.set({ when: next })}
              choices={{ NOW: t.now, LATER: t.later }}
            />
            {isLater && <SendAt {...form.time('sendAt', { label: t.sendAt, help: t.sendAtHelp })} />}
          </Stack>
        </Section>
      </Form>
      <ConfirmDialog
        {...form.question}
        title={ask}
        text={isLater ? t.sendAtHelp : t.askText}
        action={isLater ? t.schedule : t.send}
        color="primary"
      />
    </Page>
  )
}

const isShort = ({ email, mailBudgetLeft }: Reach): boolean => mailBudgetLeft !== null && email > mailBudgetLeft

function Channels({
  value,
  onChange,
}: {
  value: readonly MessageChannel[]
  onChange: (value: readonly MessageChannel[]) => void
}) {
  const t = useTexts(words)
  const wordOf = useEnum('messageChannel')
  return (
    <FormControl component="fieldset" error={value.length === 0}>
      <FormLabel component="legend">{t.channels}</FormLabel>
      <Stack direction="row" spacing={2} useFlexGap sx={{ flexWrap: 'wrap' }}>
        {CHANNELS.map((channel) => (
          <CheckField
            key={channel}
            name={channel}
            label={wordOf(channel)}
            value={value.includes(channel)}
            onChange={(isOn) => onChange(CHANNELS.filter((one) => (one === channel ? isOn : value.includes(one))))}
            isBox
          />
        ))}
      </Stack>
      {value.length === 0 && <FormHelperText>{t.noChannel}</FormHelperText>}
    </FormControl>
  )
}

/** The people whom it would reach now. */
function Reached({ reach, channels }: { reach: Reach | undefined; channels: readonly MessageChannel[] }) {
  const t = useTexts(words)
  const shared = useTexts(messageWords)
  if (reach === undefined) return null
  const { recipients, app, email, withoutChannel, mailBudgetLeft } = reach
  if (recipients === 0) return <Alert severity="warning">{t.nobody}</Alert>
  const ways = [channels.includes('APP') && t.inApp(app), channels.includes('EMAIL') && t.byMail(email)]
  return (
    <>
      <Typography component="output" sx={{ display: 'block' }}>
        <b>{shared.people(recipients)}</b>
        {`: ${ways.filter(Boolean).join(' · ')}`}
      </Typography>
      {ways.every(Boolean) && email < app && (
        <Typography variant="body2" color="text.secondary">
          {t.unmailed(app - email)}
        </Typography>
      )}
      {withoutChannel > 0 && <Alert severity="info">{t.unreached(withoutChannel)}</Alert>}
      {isShort(reach) && <Alert severity="warning">{t.budget(mailBudgetLeft!)}</Alert>}
    </>
  )
}

/** From now on. */
function SendAt(props: object) {
  const [now] = useState(serverTime)
  return (
    <TextField
      {...props}
      required
      sx={{ maxWidth: 320 }}
      slotProps={{ inputLabel: { shrink: true }, htmlInput: { min: inputTime(now) } }}
    />
  )
}
