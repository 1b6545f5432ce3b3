/** The first day of something as a small sheet of a calendar: month, day and weekday in the reader's language. */

import { Box, Typography } from '@mui/material'

import { dateFormat } from '../i18n/format.ts'

/** Only a picture: the time is written beside it. */
export function DateTile({ time, zone }: { time: number; zone?: string | undefined }) {
  const part = (options: Intl.DateTimeFormatOptions) =>
    dateFormat({ ...options, ...(zone !== undefined && { timeZone: zone }) })
  return (
    <Box
      aria-hidden
      sx={{
        width: 60,
        flexShrink: 0,
        alignSelf: 'start',
        border: 1,
        borderColor: 'divider',
        borderRadius: 1,
        overflow: 'hidden',
        textAlign: 'center',
        lineHeight: 1.3,
      }}
    >
      <Box sx={{ bgcolor: 'primary.main', color: 'primary.contrastText', fontSize: '0.75rem', py: 0.25 }}>
        {part({ month: 'short' }).format(time)}
      </Box>
      <Typography component="div" sx={{ fontSize: '1.5rem', fontWeight: 650, lineHeight: 1.2, pt: 0.25 }}>
        {/* A Chinese format would add 日. */}
        {Number(
          part({ day: 'numeric' })
            .formatToParts(time)
            .find(({ type }) => type === 'day')?.value,
        )}
      </Typography>
      <Box sx={{ color: 'text.secondary', fontSize: '0.75rem', pb: 0.25 }}>
        {part({ weekday: 'short' }).format(time)}
      </Box>
    </Box>
  )
}
