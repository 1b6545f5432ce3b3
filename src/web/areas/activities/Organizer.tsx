/** An activity as its organizers see it: numbers, the next step, codes to show, and the facts. */

import {
  Campaign,
  ConfirmationNumber,
  ContentCopy,
  MailOutlined,
  QrCode2,
  QrCodeScanner,
  Stop,
  Visibility,
} from '@mui/icons-material'
import { Box, Button, type ButtonProps, Card, CardContent, LinearProgress, Stack, Typography } from '@mui/material'
import { type ReactNode, useState } from 'react'
import { Link, type LinkProps } from 'react-router'

import { useAction, useCall } from '../../api/hooks.ts'
import type { Activity, ActivityOverview } from '../../api/types.ts'
import { number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useCopy } from '../../ui/copy.ts'
import { CheckInSelf } from './CheckInSelf.tsx'
import { ActivityCodes } from './Codes.tsx'
import { Facts } from './Facts.tsx'
import { IssueDialog } from './IssueDialog.tsx'
import { Live, useOverview } from './Live.tsx'
import type { NextStep } from './next-step.ts'
import { Cancelled, type OverviewProps } from './Overview.tsx'
import type { OwnProps } from './RegisterSelf.tsx'
import { StatusDialog } from './StatusActions.tsx'

const words = texts({
  en: {
    numbers: 'At a glance',
    confirmed: 'Registered',
    of: (n: string, capacity: string) => `${n} of ${capacity}`,
    waiting: 'Waiting',
    checkedIn: 'Checked in',
    passes: 'Passes issued',
    admitted: 'Admitted',
    inside: 'Inside',
    pending: 'Unconfirmed',
    other: {
      ISSUE_PASSES: 'Issue passes',
      OPEN_GATE: 'Open the gate',
      PUBLISH: 'Publish',
      ANSWER_REQUESTS: 'Answer requests',
      SEND_REMINDER: 'Send a reminder',
    },
    next: 'Next step',
    asVisitor: 'See as visitor',
    issue: (n: number) => (n === 1 ? 'Issue 1 pass' : `Issue ${number(n)} passes`),
    action: {
      PUBLISH: 'Publish',
      GUESTS: 'Issue passes',
      MISSING: 'Issue the missing passes',
      GATE: 'Open the gate',
      CHECK_IN: 'Show the check-in code',
      WRITE: 'Write to the participants',
      SHARE: 'Copy the link',
      END: 'End the activity',
    },
    why: {
      PUBLISH: 'This is a draft. Only you and the other managers see it until it is published.',
      ISSUE: 'Everyone who is registered needs a pass for the gate.',
      GUESTS: 'Nobody has a pass yet. Guests get theirs by name.',
      MISSING: 'More people are registered than there are passes.',
      GATE: 'Scan the passes of the people who arrive.',
      CHECK_IN: 'People who arrive scan it to check in.',
      WRITE: 'All places are taken, or registration has closed. Tell those who come what they need to know.',
      SHARE: 'Send it to the people whom you want to come.',
      END: 'Its time is over. Ending it closes registration, check-in and the gate.',
    },
    published: 'The activity is published.',
  },
  zh: {
    numbers: '数据',
    confirmed: '已报名',
    of: (n: string, capacity: string) => `${n} / ${capacity}`,
    waiting: '候补',
    checkedIn: '已签到',
    passes: '已发通行证',
    admitted: '已入场',
    inside: '在场',
    pending: '待确认',
    other: {
      ISSUE_PASSES: '发放通行证',
      OPEN_GATE: '打开检票',
      PUBLISH: '发布',
      ANSWER_REQUESTS: '处理报名申请',
      SEND_REMINDER: '发送提醒',
    },
    next: '下一步',
    asVisitor: '以参加者身份查看',
    issue: (n: number) => `发放 ${number(n)} 张通行证`,
    action: {
      PUBLISH: '发布',
      GUESTS: '发放通行证',
      MISSING: '补发通行证',
      GATE: '打开检票',
      CHECK_IN: '显示签到二维码',
      WRITE: '给参加者发消息',
      SHARE: '复制链接',
      END: '结束活动',
    },
    why: {
      PUBLISH: '这是草稿，发布之前只有你和其他管理者可以看到。',
      ISSUE: '已报名者凭通行证入场。',
      GUESTS: '还没有发放通行证，可按姓名发放给来宾。',
      MISSING: '已报名人数多于已发放的通行证。',
      GATE: '扫描到场者的通行证。',
      CHECK_IN: '到场者扫码签到。',
      WRITE: '名额已满或报名已截止，可把注意事项告知参加者。',
      SHARE: '发给想邀请的人。',
      END: '活动时间已过。结束后报名、签到和检票将关闭。',
    },
    published: '活动已发布。',
  },
})

type OverviewStep = ActivityOverview['next'][number]

export interface OrganizerProps extends OverviewProps {
  step: NextStep | undefined
}

export function Organizer({ activity, code, scanned, step }: OrganizerProps) {
  const t = useTexts(words)
  const isDraft = activity.status === 'DRAFT'
  const overview = useOverview(activity)
  return (
    <Stack spacing={2}>
      <Cancelled activity={activity} />
      {scanned !== undefined && activity.hasCheckIn && activity.status === 'ACTIVE' && (
        <CheckInSelf activity={activity} code={code} scanned={scanned} />
      )}
      {(!isDraft || step !== undefined) && (
        <Card variant="outlined">
          <CardContent sx={{ display: 'grid', gap: 2.5, gridTemplateColumns: { md: isDraft ? undefined : '3fr 2fr' } }}>
            {!isDraft && <Numbers activity={activity} overview={overview} />}
            <Stack spacing={2}>
              {step && <Step activity={activity} code={code} step={step} />}
              <OtherSteps activity={activity} step={step} next={overview?.next ?? []} />
            </Stack>
          </CardContent>
        </Card>
      )}
      {overview && <Live activity={activity} overview={overview} />}
      <Box
        sx={{
          display: 'grid',
          gap: 2,
          gridTemplateColumns: { md: isDraft ? undefined : '2fr 3fr' },
          alignItems: 'start',
        }}
      >
        {!isDraft && (
          // It keeps its column while the codes are loaded.
          <div>
            <ActivityCodes activity={activity} code={code} />
          </div>
        )}
        <Facts
          activity={activity}
          code={code}
          actions={
            !isDraft && (
              <Button startIcon={<Visibility />} component={Link} to={{ search: '?view=visitor' }}>
                {t.asVisitor}
              </Button>
            )
          }
        />
      </Box>
    </Stack>
  )
}

interface NumbersProps {
  activity: Activity
  /** The numbers of the activity itself are shown until these are there. */
  overview: ActivityOverview | undefined
}

function Numbers({ activity: { stats, registration, hasCheckIn, hasPass }, overview }: NumbersProps) {
  const t = useTexts(words)
  if (stats === null) return null
  const { confirmed, waiting } = overview?.registrations ?? stats.registrations
  const pending = overview?.registrations.pending ?? 0
  const capacity = registration?.capacity ?? null
  return (
    <div>
      <Typography variant="h2" sx={{ mb: 1 }}>
        {t.numbers}
      </Typography>
      <Box
        component="dl"
        sx={{
          m: 0,
          display: 'grid',
          gap: 1.5,
          // Four in a row on phones.
          gridTemplateColumns: {
            xs: 'repeat(auto-fill, minmax(72px, 1fr))',
            sm: 'repeat(auto-fill, minmax(104px, 1fr))',
          },
          alignItems: 'end',
        }}
      >
        {registration !== null && (
          <>
            {capacity === null ? (
              <Figure name={t.confirmed} value={confirmed} />
            ) : (
              <Figure name={t.confirmed} value={t.of(number(confirmed), number(capacity))}>
                <LinearProgress
                  variant="determinate"
                  value={Math.min(100, (confirmed / capacity) * 100)}
                  aria-label={t.confirmed}
                  sx={{ mt: 0.5, height: 8, borderRadius: 1 }}
                />
              </Figure>
            )}
            <Figure name={t.waiting} value={waiting} />
            {pending > 0 && <Figure name={t.pending} value={pending} />}
          </>
        )}
        {hasPass && (
          <>
            <Figure
              name={t.passes}
              value={overview ? overview.passes.issued - overview.passes.revoked : stats.passes}
            />
            <Figure name={t.admitted} value={overview?.passes.used ?? stats.passUses} />
            {overview && <Figure name={t.inside} value={overview.inside} />}
          </>
        )}
        {hasCheckIn && <Figure name={t.checkedIn} value={overview?.checkIns.users ?? stats.checkedInUsers} />}
      </Box>
    </div>
  )
}

function Step({ activity, code, step }: OwnProps & { step: NextStep }) {
  const t = useTexts(words)
  const copy = useCopy()
  const [dialog, setDialog] = useState<'ISSUE' | 'END'>()
  const close = () => setDialog(undefined)
  const publish = useAction('activities.setStatus', { done: t.published })
  const params = { id: activity.id }
  // The same request as that of the list of codes.
  const codes = useCall(
    'activities.qrCodes',
    { params, query: { ...(code && { code }) } },
    { enabled: step === 'SHARE' },
  )
  const link = codes.data?.find(({ type }) => type === 'ACTIVITY')?.publicUrl
  const { stats, registration } = activity
  const issued = stats?.passes ?? 0
  // The number of people without a pass is known only as long as nobody has one: passes of guests are counted too.
  const kind = step !== 'ISSUE' ? step : registration === null ? 'GUESTS' : issued > 0 ? 'MISSING' : step
  const buttons: Record<NextStep, ButtonProps & Partial<LinkProps>> = {
    PUBLISH: {
      startIcon: <Campaign />,
      loading: publish.isPending,
      onClick: () => publish.mutate({ params, body: { status: 'ACTIVE' } }),
    },
    ISSUE: { startIcon: <ConfirmationNumber />, onClick: () => setDialog('ISSUE') },
    GATE: { startIcon: <QrCodeScanner />, to: `/activities/${activity.id}/gate` },
    CHECK_IN: { startIcon: <QrCode2 />, to: { search: '?show=check-in' } },
    WRITE: { startIcon: <MailOutlined />, to: `/activities/${activity.id}/messages/new` },
    SHARE: { startIcon: <ContentCopy />, disabled: link === undefined, onClick: () => link && copy(link) },
    END: { startIcon: <Stop />, onClick: () => setDialog('END') },
  }
  const button = buttons[step]
  return (
    <Stack spacing={1}>
      <Typography variant="h2">{t.next}</Typography>
      <Typography color="text.secondary">{t.why[kind]}</Typography>
      <Button
        variant="contained"
        size="large"
        {...button}
        {...(button.to !== undefined && { component: Link })}
        sx={{ alignSelf: { sm: 'flex-start' } }}
      >
        {kind === 'ISSUE' ? t.issue(stats?.registrations.confirmed ?? 0) : t.action[kind]}
      </Button>
      {dialog === 'ISSUE' && <IssueDialog activity={activity} onClose={close} />}
      {dialog === 'END' && <StatusDialog activity={activity} asked="ENDED" onClose={close} />}
    </Stack>
  )
}

/** The step of this page that says the same, and where the others are done. */
const SAME: Readonly<Partial<Record<OverviewStep, NextStep>>> = {
  PUBLISH: 'PUBLISH',
  ISSUE_PASSES: 'ISSUE',
  OPEN_GATE: 'GATE',
  SEND_REMINDER: 'WRITE',
}

interface OtherStepsProps {
  activity: Activity
  /** Shown already. */
  step: NextStep | undefined
  next: readonly OverviewStep[]
}

/** Things that the server finds left to do, besides the next step. */
function OtherSteps({ activity, step, next }: OtherStepsProps) {
  const t = useTexts(words)
  const path = `/activities/${activity.id}`
  const places: Readonly<Partial<Record<OverviewStep, LinkProps['to']>>> = {
    ISSUE_PASSES: { search: '?tab=passes' },
    OPEN_GATE: `${path}/gate`,
    ANSWER_REQUESTS: { search: '?tab=registrations' },
    SEND_REMINDER: `${path}/messages/new`,
  }
  const others = next.flatMap((one) => {
    const to = places[one]
    return to === undefined || (step !== undefined && SAME[one] === step) ? [] : [{ one, to }]
  })
  if (others.length === 0) return null
  return (
    <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
      {others.map(({ one, to }) => (
        <Button key={one} variant="outlined" component={Link} to={to}>
          {t.other[one]}
        </Button>
      ))}
    </Stack>
  )
}

interface FigureProps {
  name: string
  value: number | string
  /** Below the number; then the figure has a row of its own. */
  children?: ReactNode
}

export const Figure = ({ name, value, children }: FigureProps) => (
  <Box sx={{ gridColumn: children === undefined ? undefined : '1 / -1' }}>
    <Typography component="dt" variant="body2" color="text.secondary">
      {name}
    </Typography>
    <Box component="dd" sx={{ m: 0, fontSize: '1.5rem', fontWeight: 650, fontVariantNumeric: 'tabular-nums' }}>
      {typeof value === 'number' ? number(value) : value}
      {children}
    </Box>
  </Box>
)
