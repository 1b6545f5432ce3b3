/** Rows with a bar, the largest first. */

import { Box, Card, CardContent, LinearProgress, Link as MuiLink, Stack, Typography } from '@mui/material'
import { Link } from 'react-router'

import { number } from '../../i18n/format.ts'

export interface Share {
  key: string
  name: string
  to?: string
  count: number
}

interface SharesProps {
  title: string
  /** Shown instead of rows. */
  empty?: string
  rows: readonly Share[]
}

export const Shares = (props: SharesProps) => (
  <Card>
    <CardContent>
      <ShareList {...props} heading="h2" />
    </CardContent>
  </Card>
)

export function ShareList({ title, empty, rows, heading }: SharesProps & { heading: 'h2' | 'h3' }) {
  const largest = Math.max(1, ...rows.map(({ count }) => count))
  return (
    <Box component="section" aria-label={title}>
      <Typography variant={heading} sx={{ mb: 1 }}>
        {title}
      </Typography>
      {rows.length === 0 && <Typography color="text.secondary">{empty}</Typography>}
      <Stack component="ul" spacing={1} sx={{ m: 0, p: 0, listStyle: 'none' }}>
        {rows.map(({ key, name, to, count }) => (
          <Box component="li" key={key}>
            <Stack direction="row" spacing={2} sx={{ justifyContent: 'space-between' }}>
              {to === undefined ? (
                <Typography sx={{ overflowWrap: 'anywhere' }}>{name}</Typography>
              ) : (
                <MuiLink component={Link} to={to} color="text.primary" sx={{ overflowWrap: 'anywhere' }}>
                  {name}
                </MuiLink>
              )}
              <Typography sx={{ fontVariantNumeric: 'tabular-nums' }}>{number(count)}</Typography>
            </Stack>
            <LinearProgress
              variant="determinate"
              value={(count / largest) * 100}
              aria-hidden="true"
              sx={{ height: 6, borderRadius: 3 }}
            />
          </Box>
        ))}
      </Stack>
    </Box>
  )
}
