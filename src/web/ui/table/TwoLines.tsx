import { Typography } from '@mui/material'
import type { ReactNode } from 'react'

const ON_ONE_LINE = { whiteSpace: 'nowrap' } as const

/** A time that the browser must not break. */
export const Unbroken = ({ children }: { children: ReactNode }) => <span style={ON_ONE_LINE}>{children}</span>

/** A cell with a smaller second line: a column of its own would make the table wider than the window. */
export const TwoLines = ({ first, second }: { first: ReactNode; second: ReactNode }) => (
  <>
    {first}
    {second !== null && second !== '' && (
      <Typography
        component="span"
        variant="caption"
        color="text.secondary"
        sx={{ display: 'block', overflowWrap: 'anywhere' }}
      >
        {second}
      </Typography>
    )}
  </>
)
