/** The picture of a person (round) or an organization (rounded square), or the first letter of the name; and a row of picture and name. */

import { Avatar, Box, Stack, Typography } from '@mui/material'
import type { ReactNode } from 'react'

export interface PortraitProps {
  name: string
  url: string | null
  /** Width in pixels; 40 by default. */
  size?: number
  isOrganization?: boolean
}

export function Portrait({ name, url, size = 40, isOrganization = false }: PortraitProps) {
  return (
    <Avatar
      {...(url !== null && { src: url })}
      alt=""
      variant={isOrganization ? 'rounded' : 'circular'}
      sx={{ width: size, height: size, bgcolor: 'action.selected', color: 'text.primary', fontSize: size / 2.2 }}
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
