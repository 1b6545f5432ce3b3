/** The present state of an activity: entries of the last hour, check-in lists, and gates. */

import { Box, Button, Card, CardContent, Stack, Typography } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import { callTagged, type Tagged } from '../../api/client.ts'
import type { ApiError } from '../../api/errors.ts'
import type { Activity, ActivityOverview } from '../../api/types.ts'
import { dateFormat, dateTime, labelled, number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { Status } from '../../ui/Status.tsx'
import { useRights } from './rights.ts'

const words = texts({
  en: {
    hour: 'Entries of the last 60 minutes',
    sum: (total: string, most: string, time: string) => `${total}; most in a minute: ${most}, at ${time}`,
    none: 'None',
    ago: '60 min ago',
    now: 'now',
    lists: 'Check-in lists',
    gates: 'Gates',
    all: 'Show all',
    counts: (admitted: string, inside: string) => `${admitted} admitted, ${inside} inside`,
    gate: (admitted: string, refused: string) => `${admitted} admitted, ${refused} refused`,
    waiting: (n: string) => `${n} waiting to be sent`,
    online: 'Online',
    offline: 'Offline',
    never: 'Not opened yet',
    seen: (time: string) => `last seen ${time}`,
  },
  zh: {
    hour: '最近 60 分钟入场',
    sum: (total: string, most: string, time: string) => `共 ${total} 次；${time} 最多，每分钟 ${most} 次`,
    none: '无',
    ago: '60 分钟前',
    now: '现在',
    lists: '签到名单',
    gates: '检票口',
    all: '查看全部',
    counts: (admitted: string, inside: string) => `已入场 ${admitted}，在场 ${inside}`,
    gate: (admitted: string, refused: string) => `放行 ${admitted}，拒绝 ${refused}`,
    waiting: (n: string) => `${n} 条待上传`,
    online: '在线',
    offline: '离线',
    never: '尚未打开',
    seen: (time: string) => `最后在线 ${time}`,
  },
})

/** Milliseconds between two looks while the page is visible. */
const OFTEN = 5_000

/** The numbers as they are now. Undefined until they are known, and for those who may not see them. */
export function useOverview(activity: Activity): ActivityOverview | undefined {
  const can = useRights(activity)
  const params = { id: activity.id }
  const isOpen = activity.status === 'ACTIVE'
  const { data } = useQuery<Tagged<ActivityOverview>, ApiError>({
    queryKey: ['activities', 'overview', params],
    // An unchanged answer is the same object, so that nothing is drawn again.
    queryFn: ({ client, queryKey, signal }) =>
      callTagged('activities.overview', { params }, client.getQueryData(queryKey), signal),
    structuralSharing: false,
    enabled: activity.status !== 'DRAFT' && can('activities.overview'),
    ...(isOpen && { refetchInterval: OFTEN }),
  })
  return data?.data
}

interface LiveProps {
  activity: Activity
  overview: ActivityOverview
}

export function Live({ activity, overview: { lastMinutes, lists, gates } }: LiveProps) {
  const t = useTexts(words)
  const isRunning = activity.hasPass && activity.status === 'ACTIVE'
  if (!isRunning && lists.length === 0) return null
  return (
    <Card variant="outlined">
      <CardContent sx={{ display: 'grid', gap: 3, gridTemplateColumns: { md: '1fr 1fr' }, alignItems: 'start' }}>
        {isRunning && <LastHour minutes={lastMinutes} zone={activity.timeZone} />}
        {lists.length > 0 && (
          <Part title={t.lists} tab="lists">
            {lists.map(({ listId, name, admitted, inside }) => (
              <Line key={listId} name={name} text={t.counts(number(admitted), number(inside))} />
            ))}
          </Part>
        )}
        {isRunning && gates.length > 0 && (
          <Part title={t.gates} tab="gates">
            {gates.map(({ gateId, name, online, admitted, refused, waiting, lastSeenAt }) => (
              <Line
                key={gateId}
                name={name}
                text={[
                  t.gate(number(admitted), number(refused)),
                  waiting > 0 && t.waiting(number(waiting)),
                  !online && (lastSeenAt === null ? t.never : t.seen(dateTime(lastSeenAt))),
                ]
                  .filter(Boolean)
                  .join(' · ')}
                state={<Status tone={online ? 'good' : 'neutral'} text={online ? t.online : t.offline} />}
              />
            ))}
          </Part>
        )}
      </CardContent>
    </Card>
  )
}

function Part({ title, tab, children }: { title: string; tab: string; children: ReactNode }) {
  const t = useTexts(words)
  return (
    <section>
      <Stack direction="row" sx={{ alignItems: 'center', justifyContent: 'space-between' }}>
        <Typography variant="h2" id={`live-${tab}`}>
          {title}
        </Typography>
        <Button size="small" component={Link} to={{ search: `?tab=${tab}` }} aria-describedby={`live-${tab}`}>
          {t.all}
        </Button>
      </Stack>
      <Box component="ul" aria-labelledby={`live-${tab}`} sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {children}
      </Box>
    </section>
  )
}

const Line = ({ name, text, state }: { name: string; text: string; state?: ReactNode }) => (
  <Box component="li" sx={{ py: 0.75, '& + &': { borderTop: 1, borderColor: 'divider' } }}>
    <Stack direction="row" spacing={1} sx={{ justifyContent: 'space-between' }}>
      <Typography sx={{ overflowWrap: 'anywhere', minWidth: 0 }}>{name}</Typography>
      {state}
    </Stack>
    <Typography variant="body2" color="text.secondary">
      {text}
    </Typography>
  </Box>
)

/** A bar for each minute. The sentence below says the same without them. */
function LastHour({ minutes, zone }: { minutes: ActivityOverview['lastMinutes']; zone: string }) {
  const t = useTexts(words)
  const total = minutes.reduce((sum, { entries }) => sum + entries, 0)
  const most = minutes.reduce((a, b) => (b.entries > a.entries ? b : a), minutes[0]!)
  const time = dateFormat({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: zone })
  return (
    <section>
      <Typography variant="h2" sx={{ mb: 1 }}>
        {t.hour}
      </Typography>
      <Box
        aria-hidden="true"
        sx={{
          display: 'flex',
          alignItems: 'flex-end',
          gap: '1px',
          height: 96,
          borderBottom: 1,
          borderColor: 'divider',
        }}
      >
        {minutes.map(({ at, entries }) => (
          <Box
            key={at}
            title={labelled(time.format(at), number(entries))}
            sx={{
              flex: 1,
              height: entries === 0 ? 0 : `max(3px, ${(entries / most.entries) * 100}%)`,
              bgcolor: 'primary.main',
              borderRadius: '2px 2px 0 0',
            }}
          />
        ))}
      </Box>
      <Stack direction="row" sx={{ justifyContent: 'space-between' }} aria-hidden="true">
        <Typography variant="caption" color="text.secondary">
          {t.ago}
        </Typography>
        <Typography variant="caption" color="text.secondary">
          {t.now}
        </Typography>
      </Stack>
      <Typography variant="body2">
        {total === 0 ? t.none : t.sum(number(total), number(most.entries), time.format(most.at))}
      </Typography>
    </section>
  )
}
