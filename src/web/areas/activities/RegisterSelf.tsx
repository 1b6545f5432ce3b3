/** Registering for an activity with its questions, and cancelling. */

import { EventAvailable } from '@mui/icons-material'
import { Alert, Button, Card, CardContent, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'
import { Link } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import type { Activity, UserRegistration } from '../../api/types.ts'
import { serverTime } from '../../browser/server-time.ts'
import { timeIn } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { may } from '../../session/session.ts'
import { ActionDialog } from '../../ui/ActionDialog.tsx'
import { Loading } from '../../ui/Answer.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { nested, useForm } from '../../ui/use-form.tsx'

const words = texts({
  en: {
    title: 'Registration',
    register: 'Register',
    change: 'Change answers',
    cancel: 'Cancel registration',
    registered: 'You are registered.',
    waiting: (n: number | null) =>
      n === null ? 'You are on the waiting list.' : `You are number ${n} on the waiting list.`,
    waitingText: 'If somebody cancels, you move up and get a notification.',
    asked: 'You have registered. A manager of the activity confirms it, and you get a notification.',
    askedText: 'You get a place when a manager of the activity has confirmed it.',
    rejected: 'Your registration was not accepted.',
    because: (reason: string) => `Reason: ${reason}`,
    places: (n: number, hasWaitlist: boolean) =>
      `${n === 1 ? '1 place' : `${n} places`}${hasWaitlist ? ', waiting list when they are taken' : ''}.`,
    notYet: (time: string) => `Registration opens ${time}.`,
    until: (time: string) => `Registration is open until ${time}.`,
    closed: (time: string) => `Registration closed ${time}.`,
    closedAtStart: (time: string) => `Registration closed when the activity started, ${time}.`,
    closedByStatus: {
      ENDED: 'Registration is closed: the activity has ended.',
      CANCELLED: 'Registration is closed: the activity is cancelled.',
    },
    formTitle: (name: string) => `Register for “${name}”`,
    noQuestions: 'You get a place at once if there is one.',
    personalCode: 'Code of your invitation',
    personalHelp: 'Registering needs a personal invitation, which is good for one person',
    contact: 'The managers of the activity will see the confirmed e-mail address of your account.',
    address: 'My address',
    save: 'Save answers',
    done: 'Your registration is saved.',
    cancelTitle: 'Cancel your registration?',
    cancelText: 'Your place goes to the next person. If you register again later, you are the last one.',
    cancelled: 'Your registration is cancelled.',
  },
  zh: {
    title: '报名',
    register: '报名',
    change: '修改回答',
    cancel: '取消报名',
    registered: '你已报名。',
    waiting: (n: number | null) => (n === null ? '你在候补名单中。' : `你在候补名单中排第 ${n} 位。`),
    waitingText: '有人取消时会自动递补，并通知你。',
    asked: '你已报名，等待活动管理者确认，届时会通知你。',
    askedText: '活动管理者确认后即获得名额。',
    rejected: '你的报名未通过。',
    because: (reason: string) => `原因：${reason}`,
    places: (n: number, hasWaitlist: boolean) => `${n} 个名额${hasWaitlist ? '，满员后可候补' : ''}。`,
    notYet: (time: string) => `${time} 开始报名。`,
    until: (time: string) => `报名截止时间：${time}。`,
    closed: (time: string) => `报名已于 ${time} 截止。`,
    closedAtStart: (time: string) => `活动已开始，报名已于 ${time} 截止。`,
    closedByStatus: { ENDED: '活动已结束，报名已关闭。', CANCELLED: '活动已取消，报名已关闭。' },
    formTitle: (name: string) => `报名“${name}”`,
    noQuestions: '有名额时立即报名成功。',
    personalCode: '你的个人邀请码',
    personalHelp: '报名需要个人邀请，每个邀请仅限一人使用',
    contact: '活动管理者会看到你账号中已验证的邮箱。',
    address: '我的邮箱',
    save: '保存回答',
    done: '报名信息已保存。',
    cancelTitle: '取消报名？',
    cancelText: '名额将让给下一位。以后重新报名将排在最后。',
    cancelled: '已取消报名。',
  },
})

export interface OwnProps {
  activity: Activity
  /** The invite code that the user gave. */
  code: string | undefined
}

export function RegisterSelf({ activity, code }: OwnProps) {
  const t = useTexts(words)
  const [dialog, setDialog] = useState<'register' | 'cancel' | null>(null)
  const close = () => setDialog(null)
  const [now] = useState(serverTime)
  const params = { id: activity.id }
  const isAllowed = may('registrations.register', null)
  const { startTime, endTime } = activity
  // The registration is asked for only if there is one: browsers log a 404 as an error.
  const all = useCall(
    'activities.list',
    { query: { registered: true, from: endTime, to: startTime, size: 100 } },
    { enabled: isAllowed },
  )
  const isListed = all.error !== null || all.data?.items.some(({ id }) => id === activity.id) === true
  const { registration } = activity
  // The list does not have those who were rejected.
  const isAsked = isListed || (isAllowed && registration?.approval === true)
  const mine = useCall('registrations.get', { params, query: { ...(code && { code }) } }, { enabled: isAsked })
  const isLoading = isAllowed && (all.isPending || (isAsked && mine.isPending))
  if (registration === null) return null
  const opensAt = registration.opensAt ?? 0
  const closesAt = Math.min(registration.closesAt ?? startTime, endTime)
  const isActive = activity.status === 'ACTIVE'
  const isAccepting = isActive && now >= opensAt && now <= closesAt
  const current = isAsked && mine.data?.status !== 'CANCELLED' ? mine.data : undefined
  const isRejected = current?.status === 'REJECTED'
  const hasQuestions = registration.questions.length > 0
  const stateOf = () => {
    if (activity.status === 'ENDED' || activity.status === 'CANCELLED') return t.closedByStatus[activity.status]
    if (now < opensAt) return t.notYet(timeIn(opensAt, activity.timeZone))
    if (now <= closesAt) return t.until(timeIn(closesAt, activity.timeZone))
    return (closesAt === activity.startTime ? t.closedAtStart : t.closed)(timeIn(closesAt, activity.timeZone))
  }
  return (
    <Card variant="outlined">
      <CardContent>
        <Stack spacing={1.5}>
          <Stack direction="row" spacing={1} sx={{ alignItems: 'center' }}>
            <EventAvailable color="primary" />
            <Typography variant="h2">{t.title}</Typography>
          </Stack>
          {isLoading && <Loading />}
          {current?.status === 'CONFIRMED' && <Alert severity="success">{t.registered}</Alert>}
          {current?.status === 'WAITING' && (
            <Alert severity="info">
              {registration.approval ? t.asked : `${t.waiting(current.position)} ${t.waitingText}`}
            </Alert>
          )}
          {isRejected && (
            <Alert severity="warning" sx={{ overflowWrap: 'anywhere' }}>
              {[t.rejected, current.reason && t.because(current.reason)].filter(Boolean).join(' ')}
            </Alert>
          )}
          {current === undefined && (
            <Typography color="text.secondary">
              {[registration.capacity !== null && t.places(registration.capacity, registration.waitlist), stateOf()]
                .filter(Boolean)
                .join(' ')}
            </Typography>
          )}
          <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
            {isAllowed && isAccepting && current === undefined && !isLoading && (
              <Button variant="contained" size="large" onClick={() => setDialog('register')} sx={{ flex: 1 }}>
                {t.register}
              </Button>
            )}
            {isAccepting && current !== undefined && !isRejected && hasQuestions && (
              <Button variant="outlined" onClick={() => setDialog('register')}>
                {t.change}
              </Button>
            )}
            {isActive && current !== undefined && !isRejected && (
              <Button color="error" onClick={() => setDialog('cancel')}>
                {t.cancel}
              </Button>
            )}
          </Stack>
        </Stack>
      </CardContent>
      {dialog === 'register' && <RegisterDialog activity={activity} code={code} current={current} onClose={close} />}
      {dialog === 'cancel' && (
        <ActionDialog
          operation="registrations.cancel"
          input={{ params, query: { ...(code && { code }) } }}
          title={t.cancelTitle}
          text={t.cancelText}
          action={t.cancel}
          isCancelling
          refreshes={['registrations', 'activities']}
          done={t.cancelled}
          onClose={close}
        />
      )}
    </Card>
  )
}

function RegisterDialog({
  activity,
  code,
  current,
  onClose,
}: OwnProps & { current: UserRegistration | undefined; onClose: () => void }) {
  const t = useTexts(words)
  const questions = activity.registration?.questions ?? []
  const isPersonal =
    activity.registration?.personalOnly === true && activity.visibility !== 'RESTRICTED' && current === undefined
  const form = useForm(
    'registrations.register',
    (): Record<string, string> => ({
      ...Object.fromEntries(questions.map(({ key }) => [`answers.${key}`, current?.answers[key] ?? ''])),
      ...(isPersonal && { inviteCode: code ?? '' }),
    }),
    {
      done: t.done,
      refreshes: ['registrations', 'activities'],
      onDone: onClose,
      input: (values) => ({
        params: { id: activity.id },
        body: { ...(code && { inviteCode: code }), ...nested(values) },
      }),
    },
  )
  return (
    <FormDialog
      form={form}
      title={t.formTitle(activity.name)}
      action={current ? t.save : t.register}
      onClose={onClose}
      maxWidth="xs"
    >
      {isPersonal && (
        <TextField
          {...form.text('inviteCode', { label: t.personalCode, help: t.personalHelp })}
          required
          autoComplete="off"
          slotProps={{ htmlInput: { autoCapitalize: 'characters' } }}
        />
      )}
      {activity.registration?.contact === 'EMAIL' && current === undefined && (
        <Alert
          severity="info"
          action={
            <Button color="inherit" component={Link} to="/account/security">
              {t.address}
            </Button>
          }
        >
          {t.contact}
        </Alert>
      )}
      {activity.registration?.approval && <Typography>{t.askedText}</Typography>}
      {questions.length === 0 && !activity.registration?.approval && <Typography>{t.noQuestions}</Typography>}
      {questions.map(({ key, label, required }) => (
        <TextField key={key} {...form.text(`answers.${key}`, { label })} required={required} multiline />
      ))}
    </FormDialog>
  )
}
