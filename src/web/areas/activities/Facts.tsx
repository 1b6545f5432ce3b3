/** When, where, by whom and about what: the facts of an activity, which organizers and visitors see. */

import {
  CalendarMonth,
  EventRepeat,
  Notes,
  Person,
  Place,
  Schedule,
  VisibilityOutlined,
  VpnKey,
} from '@mui/icons-material'
import { Box, Button, Card, CardContent, Link as MuiLink, Stack, Typography } from '@mui/material'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import { download } from '../../api/client.ts'
import type { ApiError } from '../../api/errors.ts'
import { notify } from '../../browser/notices.ts'
import { cityOf, isSameClock } from '../../i18n/clocks.ts'
import { useEnum } from '../../i18n/enums.ts'
import { timeZone } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { zoneName } from '../../i18n/zones.ts'
import { EnumChip } from '../../ui/enums.tsx'
import { MapLink } from '../../ui/MapLink.tsx'
import { Rendered } from '../../ui/Rendered.tsx'
import { Cover } from './ActivityCard.tsx'
import { InviteCodeFact } from './InviteCode.tsx'
import type { OwnProps } from './RegisterSelf.tsx'
import { useOwnerOf } from './rights.ts'
import { placeOf, timesOf } from './words.ts'

const words = texts({
  en: {
    calendar: 'Add to calendar',
    when: 'When',
    where: 'Where',
    by: 'Organizer',
    visibility: 'Visibility',
    about: 'About',
    yours: (time: string, city: string) => `${time} in your time (${city})`,
    series: 'Part of a series',
    others: 'See all of them',
  },
  zh: {
    calendar: '添加到日历',
    when: '时间',
    where: '地点',
    by: '主办方',
    visibility: '可见范围',
    about: '介绍',
    yours: (time: string, city: string) => `你的当地时间：${time}（${city}）`,
    series: '属于一个系列',
    others: '查看全部',
  },
})

/** `actions`: buttons beside the one of the calendar. */
export function Facts({ activity, code, actions }: OwnProps & { actions?: ReactNode }) {
  const t = useTexts(words)
  const visibilityOf = useEnum('activityVisibility')
  const place = placeOf(activity)
  const isOfOthers = useOwnerOf(activity) === undefined
  const { latitude, longitude } = activity
  const calendar = () =>
    download('activities.calendar', { params: { id: activity.id }, query: { ...(code && { code }) } }).catch(
      (error: ApiError) => notify(error.message, 'error'),
    )
  return (
    <Card variant="outlined">
      {activity.coverUrl !== null && <Cover url={activity.coverUrl} height={{ xs: 160, sm: 240 }} />}
      <CardContent>
        <Stack spacing={1.5}>
          <Fact icon={<Schedule />} name={t.when}>
            <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', alignItems: 'center' }}>
              <span>{timesOf(activity)}</span>
              <EnumChip of="activityStatus" value={activity.status} />
            </Stack>
            <Zone activity={activity} />
          </Fact>
          {activity.seriesId !== null && (
            <Fact icon={<EventRepeat />} name="">
              {t.series}
              {!isOfOthers && (
                <>
                  {' · '}
                  <MuiLink component={Link} to={`/activities?series=${activity.seriesId}`}>
                    {t.others}
                  </MuiLink>
                </>
              )}
            </Fact>
          )}
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
              <Description activity={activity} />
            </Fact>
          )}
          <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
            <Button startIcon={<CalendarMonth />} onClick={() => void calendar()}>
              {t.calendar}
            </Button>
            {actions}
          </Stack>
        </Stack>
      </CardContent>
    </Card>
  )
}

/** The zone of the times, and the times in that of the browser where its clocks show something else. */
function Zone({ activity }: Pick<OwnProps, 'activity'>) {
  const t = useTexts(words)
  const { startTime, endTime, timeZone: zone } = activity
  // The answer was kept before there were zones.
  if (zone === undefined) return null
  const own = timeZone()
  const isOther = [startTime, endTime].some((time) => !isSameClock(time, zone, own))
  return (
    <Typography variant="body2" color="text.secondary">
      {zoneName(startTime, zone)}
      {isOther && (
        <Box component="span" sx={{ display: 'block' }}>
          {t.yours(timesOf({ startTime, endTime }), cityOf(own))}
        </Box>
      )}
    </Typography>
  )
}

function Description({ activity: { description, descriptionFormat, descriptionHtml } }: Pick<OwnProps, 'activity'>) {
  if (descriptionFormat === 'MARKDOWN') return <Rendered html={descriptionHtml} />
  return (
    <Typography component="span" sx={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
      {description}
    </Typography>
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
