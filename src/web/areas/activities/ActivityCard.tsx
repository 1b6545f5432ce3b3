/** An activity in a list: cover, time, place and state. */

import { Event, Place } from '@mui/icons-material'
import { Box, Card, CardActionArea, Stack, Typography } from '@mui/material'
import { Link } from 'react-router'

import type { ActivityItem, PublicActivity } from '../../api/types.ts'
import { EnumChip } from '../../ui/enums.tsx'
import { period, placeOf } from './words.ts'

export function ActivityCard({ activity }: { activity: ActivityItem | PublicActivity }) {
  const place = placeOf(activity)
  const isOver = 'status' in activity && (activity.status === 'ENDED' || activity.status === 'CANCELLED')
  return (
    <Card component="li" sx={{ listStyle: 'none', opacity: isOver ? 0.85 : 1 }}>
      <CardActionArea
        component={Link}
        to={`/activities/${activity.id}`}
        sx={{
          height: '100%',
          display: 'flex',
          flexDirection: 'column',
          alignItems: 'stretch',
          justifyContent: 'start',
        }}
      >
        <Cover url={activity.coverUrl} />
        <Stack spacing={0.75} sx={{ p: 1.5, minWidth: 0 }}>
          <Stack direction="row" spacing={1} sx={{ alignItems: 'start' }}>
            <Typography variant="h2" component="span" sx={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
              {activity.name}
            </Typography>
            {'status' in activity && <EnumChip of="activityStatus" value={activity.status} />}
          </Stack>
          <Typography variant="body2" color="text.secondary">
            {period(activity.startTime, activity.endTime)}
          </Typography>
          {place !== '' && (
            <Stack direction="row" spacing={0.5} sx={{ color: 'text.secondary', alignItems: 'start' }}>
              <Place sx={{ fontSize: 18, mt: '1px' }} />
              <Typography variant="body2" sx={{ overflowWrap: 'anywhere' }}>
                {place}
              </Typography>
            </Stack>
          )}
          {!('status' in activity) && activity.ownerName !== null && (
            <Typography variant="body2" color="text.secondary">
              {activity.ownerName}
            </Typography>
          )}
        </Stack>
      </CardActionArea>
    </Card>
  )
}

/** The picture of an activity, or a coloured area with a calendar. */
export function Cover({ url, height = 120 }: { url: string | null; height?: number | object }) {
  if (url !== null)
    return <Box component="img" src={url} alt="" loading="lazy" sx={{ width: '100%', height, objectFit: 'cover' }} />
  return (
    <Box
      sx={{
        height,
        display: 'grid',
        placeItems: 'center',
        color: 'primary.main',
        bgcolor: 'action.hover',
      }}
    >
      <Event sx={{ fontSize: 44, opacity: 0.6 }} />
    </Box>
  )
}
