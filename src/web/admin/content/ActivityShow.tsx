/** An activity with its rules, its numbers and its history. */

import { Delete, Edit } from '@mui/icons-material'
import { Box, Button, Card, CardContent, Link as MuiLink, Typography } from '@mui/material'
import { Link, useNavigate, useParams } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import type { AdminActivity } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { useLabels } from '../../i18n/fields.ts'
import { dateTime, number, timeIn } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { Answer } from '../../ui/Answer.tsx'
import { HistorySection } from '../../ui/History.tsx'
import { Page } from '../../ui/Page.tsx'
import { Facts, Figures } from '../../ui/parts.tsx'
import { EnumStatus } from '../../ui/Status.tsx'
import { deletion } from './activity-words.ts'
import { ActivityGates } from './ActivityGates.tsx'
import { ActivityInvitations } from './ActivityInvitations.tsx'
import { ActivityMessages } from './ActivityMessages.tsx'
import { Owner, period, position } from './shared.tsx'

const words = texts({
  en: {
    title: 'Activity',
    edit: 'Edit',
    remove: 'Delete',
    ask: (name: string) => `Delete the activity “${name}”?`,
    removed: 'The activity is deleted.',
    confirmed: 'Registered',
    waiting: 'Waiting',
    checkedIn: 'Checked in',
    passes: 'Passes',
    entries: 'Entries',
    rules: 'Rules',
    yes: 'Yes',
    no: 'No',
    radius: 'Check-in within',
    metres: (n: number) => `${n} m`,
    shortCode: 'Short code',
    each: 'Check-ins of each user',
    unlimited: 'Unlimited',
    open: 'Check-in open',
    registration: 'Registration',
    places: (n: number | null) => (n === null ? 'Any number of places' : n === 1 ? '1 place' : `${n} places`),
    allPasses: 'Its passes',
    allCheckIns: 'Its check-ins',
    position: 'Position',
    notices: 'Automatic notices',
    contact: 'Address for replies',
  },
  zh: {
    title: '活动',
    edit: '编辑',
    remove: '删除',
    ask: (name: string) => `删除活动“${name}”？`,
    removed: '活动已删除。',
    confirmed: '已报名',
    waiting: '候补',
    checkedIn: '已签到',
    passes: '通行证',
    entries: '入场次数',
    rules: '规则',
    yes: '是',
    no: '否',
    radius: '签到范围',
    metres: (n: number) => `${n} 米`,
    shortCode: '签到口令',
    each: '每人签到次数',
    unlimited: '不限',
    open: '签到时间',
    registration: '报名',
    places: (n: number | null) => (n === null ? '名额不限' : `${n} 个名额`),
    allPasses: '查看通行证',
    allCheckIns: '查看签到',
    position: '经纬度',
    notices: '自动通知',
    contact: '回复邮箱',
  },
})

export default function ActivityShow() {
  const t = useTexts(words)
  const activityId = Number(useParams().id)
  const query = useCall('admin.activities.get', { params: { activityId } })
  const isOver = query.data?.status === 'ENDED' || query.data?.status === 'CANCELLED'
  const may = useMay()
  return (
    <Page
      title={query.data?.name ?? t.title}
      back="/admin/activities"
      actions={
        query.data && (
          <>
            {may('admin.activities.update') && !isOver && (
              <Button component={Link} to={`/admin/activities/${activityId}`} variant="contained" startIcon={<Edit />}>
                {t.edit}
              </Button>
            )}
            <Remove activity={query.data} />
          </>
        )
      }
    >
      <Answer query={query}>{(activity) => <Details activity={activity} />}</Answer>
    </Page>
  )
}

function Details({ activity }: { activity: AdminActivity }) {
  const t = useTexts(words)
  const f = useLabels()
  const may = useMay()
  const visibilityOf = useEnum('activityVisibility')
  const { checkInConfig: checkIn, passConfig: pass, registration, stats, region } = activity
  const times = (n: number | null) => (n === null ? '' : n === 0 ? t.unlimited : number(n))
  return (
    <>
      {stats !== null && (
        <Figures
          items={[
            [t.confirmed, number(stats.registrations.confirmed)],
            [t.waiting, number(stats.registrations.waiting)],
            [t.checkedIn, number(stats.checkedInUsers)],
            [t.passes, number(stats.passes)],
            [t.entries, number(stats.passUses)],
          ]}
        />
      )}
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { md: '1fr 1fr' }, alignItems: 'start' }}>
        <Card variant="outlined">
          <CardContent>
            {activity.coverUrl !== null && (
              <img src={activity.coverUrl} alt="" style={{ width: '100%', maxHeight: 220, objectFit: 'cover' }} />
            )}
            <Facts
              items={[
                [f('status'), <EnumStatus key="status" of="activityStatus" value={activity.status} />],
                [f('description'), activity.description],
                [f('startTime'), timeIn(activity.startTime, activity.timeZone)],
                [f('endTime'), timeIn(activity.endTime, activity.timeZone)],
                [f('timeZone'), activity.timeZone],
                [f('location'), activity.location],
                [f('address'), region && [region.province, region.city, region.district].filter(Boolean).join(' ')],
                [t.position, position(activity.latitude, activity.longitude)],
                [f('owner'), <Owner key="owner" row={activity} />],
                [f('createdAt'), dateTime(activity.createdAt)],
                [f('updatedAt'), dateTime(activity.updatedAt)],
                [f('id'), activity.id],
              ]}
            />
          </CardContent>
        </Card>
        <Card variant="outlined">
          <CardContent>
            <Typography variant="h2" sx={{ mb: 1.5 }}>
              {t.rules}
            </Typography>
            <Facts
              items={[
                [f('visibility'), visibilityOf(activity.visibility)],
                [f('hasCheckIn'), activity.hasCheckIn ? t.yes : t.no],
                [t.each, activity.hasCheckIn && times(checkIn.maxPerUser)],
                [t.shortCode, checkIn.shortCode],
                [t.radius, checkIn.radiusMeters !== null && t.metres(checkIn.radiusMeters)],
                [t.open, period(checkIn.opensAt, checkIn.closesAt)],
                [f('hasPass'), activity.hasPass ? t.yes : t.no],
                [t.entries, activity.hasPass && times(pass.maxUses)],
                [f('validTo'), dateTime(pass.validTo)],
                [t.notices, activity.autoNotices ? t.yes : t.no],
                [t.contact, activity.contactEmail],
                [t.registration, registration === null ? t.no : t.places(registration.capacity)],
              ]}
            />
            <Box sx={{ display: 'flex', gap: 2, mt: 2, flexWrap: 'wrap' }}>
              {may('admin.checkIns.list') && (
                <MuiLink component={Link} to={`/admin/check-ins?activityId=${activity.id}`}>
                  {t.allCheckIns}
                </MuiLink>
              )}
              {may('admin.passes.list') && (
                <MuiLink component={Link} to={`/admin/passes?activityId=${activity.id}`}>
                  {t.allPasses}
                </MuiLink>
              )}
            </Box>
          </CardContent>
        </Card>
      </Box>
      <ActivityMessages activityId={activity.id} />
      {activity.hasPass && <ActivityGates activityId={activity.id} />}
      <ActivityInvitations activityId={activity.id} />
      <HistorySection targetType="ACTIVITY" targetId={activity.id} />
    </>
  )
}

function Remove({ activity }: { activity: AdminActivity }) {
  const t = useTexts(words)
  const consequences = useTexts(deletion)
  const navigate = useNavigate()
  return (
    <ActionButton
      operation="admin.activities.delete"
      input={{ params: { activityId: activity.id } }}
      icon={<Delete />}
      label={t.remove}
      title={t.ask(activity.name)}
      text={consequences.text}
      done={t.removed}
      // The activity itself is not read again: it is gone.
      refreshes={['admin.activities.list']}
      onDone={() => void navigate('/admin/activities')}
      variant="outlined"
    />
  )
}
