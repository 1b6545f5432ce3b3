/** An activity in a list: cover or date, time, place and state. */

import { Place } from '@mui/icons-material'
import { Box, Card, CardActionArea, Stack, Typography } from '@mui/material'
import { Link } from 'react-router'

import type { ActivityItem, PublicActivity } from '../../api/types.ts'
import { DateTile } from '../../ui/DateTile.tsx'
import { EnumChip } from '../../ui/enums.tsx'
import { placeOf, whenOf } from './words.ts'

export function ActivityCard({ activity }: { activity: ActivityItem | PublicActivity }) {
  const place = placeOf(activity)
  const isDraft = 'status' in activity && activity.status === 'DRAFT'
  const isOver = 'status' in activity && (activity.status === 'ENDED' || activity.status === 'CANCELLED')
  return (
    <Card
      component="li"
      sx={{
        listStyle: 'none',
        opacity: isOver ? 0.85 : 1,
        ...(isDraft && { border: '1px dashed', borderColor: 'warning.main' }),
      }}
    >
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
        {activity.coverUrl !== null && <Cover url={activity.coverUrl} />}
        <Stack direction="row" spacing={1.5} sx={{ p: 1.5, minWidth: 0 }}>
          {activity.coverUrl === null && <DateTile time={activity.startTime} zone={activity.timeZone} />}
          <Stack spacing={0.75} sx={{ minWidth: 0, flex: 1 }}>
            <Stack direction="row" spacing={1} sx={{ alignItems: 'start' }}>
              <Typography variant="h2" component="span" sx={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
                {activity.name}
              </Typography>
              {'status' in activity && <EnumChip of="activityStatus" value={activity.status} />}
            </Stack>
            <Typography variant="body2" color="text.secondary">
              {whenOf(activity)}
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
        </Stack>
      </CardActionArea>
    </Card>
  )
}

/** The picture of an activity. */
export const Cover = ({ url, height = 120 }: { url: string; height?: number | object }) => (
  <Box component="img" src={url} alt="" loading="lazy" sx={{ width: '100%', height, objectFit: 'cover' }} />
)
