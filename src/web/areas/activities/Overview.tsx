/** The first part of an activity: facts, codes to show, registering and checking in. */

import {
  CalendarMonth,
  HowToReg,
  Notes,
  Person,
  Place,
  Schedule,
  VisibilityOutlined,
  VpnKey,
} from '@mui/icons-material'
import { Alert, Box, Button, Card, CardContent, Stack, Typography } from '@mui/material'
import type { ReactNode } from 'react'

import { download } from '../../api/client.ts'
import type { ApiError } from '../../api/errors.ts'
import type { Activity } from '../../api/types.ts'
import { notify } from '../../browser/notices.ts'
import { useEnum } from '../../i18n/enums.ts'
import { number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { EnumChip } from '../../ui/enums.tsx'
import { MapLink } from '../../ui/MapLink.tsx'
import { Cover } from './ActivityCard.tsx'
import { CheckInSelf } from './CheckInSelf.tsx'
import { ActivityCodes } from './Codes.tsx'
import { InviteCodeFact } from './InviteCode.tsx'
import { RegisterSelf } from './RegisterSelf.tsx'
import { period, placeOf } from './words.ts'

const words = texts({
  en: {
    draft: 'This is a draft. Only you and the other managers see it until it is published.',
    cancelled: 'This activity is cancelled.',
    calendar: 'Add to calendar',
    confirmed: 'Registered',
    waiting: 'Waiting',
    checkedIn: 'Checked in',
    passes: 'Passes',
    entries: 'Entries',
    when: 'When',
    where: 'Where',
    by: 'Organizer',
    visibility: 'Visibility',
    about: 'About',
    numbers: 'At a glance',
  },
  zh: {
    draft: '这是草稿，发布之前只有你和其他管理者可以看到。',
    cancelled: '此活动已取消。',
    calendar: '添加到日历',
    confirmed: '已报名',
    waiting: '候补',
    checkedIn: '已签到',
    passes: '通行证',
    entries: '入场次数',
    when: '时间',
    where: '地点',
    by: '主办方',
    visibility: '可见范围',
    about: '介绍',
    numbers: '数据',
  },
})

export interface OverviewProps {
  activity: Activity
  code: string | undefined
  /** The uuid of the check-in page that the user has scanned. */
  scanned: string | undefined
}

export function Overview({ activity, code, scanned }: OverviewProps) {
  const t = useTexts(words)
  const visibilityOf = useEnum('activityVisibility')
  const place = placeOf(activity)
  const { stats, latitude, longitude } = activity
  const calendar = () =>
    download('activities.calendar', { params: { id: activity.id }, query: { ...(code && { code }) } }).catch(
      (error: ApiError) => notify(error.message, 'error'),
    )
  const checkIn = activity.hasCheckIn && activity.status === 'ACTIVE' && (
    <CheckInSelf activity={activity} code={code} scanned={scanned} />
  )
  return (
    <Stack spacing={2}>
      {activity.status === 'DRAFT' && <Alert severity="info">{t.draft}</Alert>}
      {activity.status === 'CANCELLED' && <Alert severity="warning">{t.cancelled}</Alert>}
      {scanned !== undefined && checkIn}
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { md: '3fr 2fr' }, alignItems: 'start' }}>
        <Card variant="outlined">
          {activity.coverUrl !== null && <Cover url={activity.coverUrl} height={{ xs: 160, sm: 240 }} />}
          <CardContent>
            <Stack spacing={1.5}>
              <Fact icon={<Schedule />} name={t.when}>
                <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', alignItems: 'center' }}>
                  <span>{period(activity.startTime, activity.endTime)}</span>
                  <EnumChip of="activityStatus" value={activity.status} />
                </Stack>
              </Fact>
              {(place !== '' || latitude !== null) && (
                <Fact icon={<Place />} name={t.where}>
                  {place}
                  {latitude !== null && longitude !== null && (
                    <Box sx={{ py: 0.5 }}>
                      <MapLink latitude={latitude} longitude={longitude} name={activity.name} />
                    </Box>
                  )}
                </Fact>
              )}
              {activity.ownerName !== null && (
                <Fact icon={<Person />} name={t.by}>
                  {activity.ownerName}
                </Fact>
              )}
              <Fact icon={<VisibilityOutlined />} name={t.visibility}>
                {visibilityOf(activity.visibility)}
              </Fact>
              {activity.inviteCode !== null && (
                <Fact icon={<VpnKey />} name="">
                  <InviteCodeFact activity={activity} inviteCode={activity.inviteCode} />
                </Fact>
              )}
              {activity.description !== '' && (
                <Fact icon={<Notes />} name={t.about}>
                  <Typography component="span" sx={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
                    {activity.description}
                  </Typography>
                </Fact>
              )}
              <Box>
                <Button startIcon={<CalendarMonth />} onClick={() => void calendar()}>
                  {t.calendar}
                </Button>
              </Box>
            </Stack>
          </CardContent>
        </Card>
        <Stack spacing={2}>
          {activity.registration !== null && activity.status !== 'DRAFT' && (
            <RegisterSelf activity={activity} code={code} />
          )}
          {scanned === undefined && checkIn}
          {stats !== null && activity.status !== 'DRAFT' && (
            <Card variant="outlined">
              <CardContent>
                <Stack direction="row" spacing={1} sx={{ alignItems: 'center', mb: 1.5 }}>
                  <HowToReg color="primary" />
                  <Typography variant="h2">{t.numbers}</Typography>
                </Stack>
                <Box
                  component="dl"
                  sx={{ m: 0, display: 'grid', gap: 1.5, gridTemplateColumns: 'repeat(auto-fill, minmax(88px, 1fr))' }}
                >
                  {activity.registration !== null && (
                    <>
                      <Figure name={t.confirmed} value={stats.registrations.confirmed} />
                      <Figure name={t.waiting} value={stats.registrations.waiting} />
                    </>
                  )}
                  {activity.hasCheckIn && <Figure name={t.checkedIn} value={stats.checkedInUsers} />}
                  {activity.hasPass && (
                    <>
                      <Figure name={t.passes} value={stats.passes} />
                      <Figure name={t.entries} value={stats.passUses} />
                    </>
                  )}
                </Box>
              </CardContent>
            </Card>
          )}
          <ActivityCodes activity={activity} code={code} />
        </Stack>
      </Box>
    </Stack>
  )
}

const Fact = ({ icon, name, children }: { icon: ReactNode; name: string; children: ReactNode }) => (
  <Stack direction="row" spacing={1.5} sx={{ alignItems: 'start' }}>
    <Box sx={{ color: 'text.secondary', display: 'flex' }}>{icon}</Box>
    <Box sx={{ minWidth: 0, flex: 1, overflowWrap: 'anywhere' }}>
      <Box component="span" className="visually-hidden">
        {name}
      </Box>{' '}
      {children}
    </Box>
  </Stack>
)

export const Figure = ({ name, value }: { name: string; value: number }) => (
  <div>
    <Typography component="dt" variant="body2" color="text.secondary">
      {name}
    </Typography>
    <Typography component="dd" sx={{ m: 0, fontSize: '1.5rem', fontWeight: 650, fontVariantNumeric: 'tabular-nums' }}>
      {number(value)}
    </Typography>
  </div>
)
