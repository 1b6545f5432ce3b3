/** The lists of fields and of templates: a card with an entry for each. */

import { Box, Card, Stack, Typography } from '@mui/material'
import type { ReactNode } from 'react'

export const Entries = ({ children }: { children: ReactNode }) => (
  <Card variant="outlined" component="ul" sx={{ p: 0, m: 0, listStyle: 'none' }}>
    {children}
  </Card>
)

export interface EntryProps {
  title: ReactNode
  /** Below the title. Those that are empty are left out. */
  details: readonly string[]
  /** Buttons at the end. */
  children?: ReactNode
}

export function Entry({ title, details, children }: EntryProps) {
  return (
    <Stack
      component="li"
      direction="row"
      useFlexGap
      sx={{
        alignItems: 'center',
        flexWrap: 'wrap',
        px: 2,
        py: 1,
        borderBottom: 1,
        borderColor: 'divider',
        '&:last-of-type': { borderBottom: 0 },
      }}
    >
      <Box sx={{ flex: '1 1 200px', minWidth: 0 }}>
        {title}
        <Typography variant="body2" color="text.secondary" sx={{ overflowWrap: 'anywhere' }}>
          {details.filter(Boolean).join(' · ')}
        </Typography>
      </Box>
      <Stack direction="row">{children}</Stack>
    </Stack>
  )
}
