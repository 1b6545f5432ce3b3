/**
 * The picture of a person (round) or an organization (rounded square), or the first letter of the name in a colour of its own; and a row of
 * picture and name.
 */

import { Avatar, Box, Stack, type SxProps, type Theme, Typography } from '@mui/material'
import type { ReactNode } from 'react'

import { hashOf } from './hash.ts'

export interface PortraitProps {
  name: string
  url: string | null
  /** Width in pixels; 40 by default. */
  size?: number
  isOrganization?: boolean
  sx?: SxProps<Theme>
}

/** Colours that people tell apart at a glance. */
const HUES = 12

export function Portrait({ name, url, size = 40, isOrganization = false, sx }: PortraitProps) {
  const hue = (hashOf(name) % HUES) * (360 / HUES)
  return (
    <Avatar
      {...(url !== null && { src: url })}
      alt=""
      variant={isOrganization ? 'rounded' : 'circular'}
      sx={[
        { width: size, height: size, fontSize: size / 2.2, fontWeight: 600 },
        // The difference in lightness has enough contrast with any hue.
        ({ palette: { mode } }) => ({
          bgcolor: mode === 'dark' ? `hsl(${hue} 30% 24%)` : `hsl(${hue} 45% 88%)`,
          color: mode === 'dark' ? `hsl(${hue} 60% 86%)` : `hsl(${hue} 60% 22%)`,
        }),
        ...(Array.isArray(sx) ? sx : [sx]),
      ]}
    >
      {[...name][0]?.toUpperCase()}
    </Avatar>
  )
}

/** Picture at the left, name and details at its right. */
export function Named({
  details,
  children,
  ...portrait
}: PortraitProps & { details?: ReactNode; children?: ReactNode }) {
  return (
    <Stack direction="row" spacing={1.5} sx={{ alignItems: 'center', minWidth: 0 }}>
      <Portrait {...portrait} />
      <Box sx={{ minWidth: 0, flex: 1 }}>
        <Box sx={{ overflowWrap: 'anywhere', fontWeight: 500 }}>{children ?? portrait.name}</Box>
        {details !== undefined && details !== '' && (
          <Typography variant="body2" component="div" color="text.secondary" sx={{ overflowWrap: 'anywhere' }}>
            {details}
          </Typography>
        )}
      </Box>
    </Stack>
  )
}
