import { Typography } from '@mui/material'
import type { ReactNode } from 'react'

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
