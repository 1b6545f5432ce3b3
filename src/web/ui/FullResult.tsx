/** The result of a scan over the whole screen: green, red, or blue if it is not known yet. It is seen from an arm's length. */

import { Cancel, CheckCircle, CloudOff } from '@mui/icons-material'
import { Box, Button, Stack, Typography } from '@mui/material'
import { blue, green, red } from '@mui/material/colors'
import type { ReactNode } from 'react'

/** `waits`: the server decides about it when there is a connection. */
export type ResultTone = 'good' | 'bad' | 'waits'

const COLORS = { good: green[900], bad: red[900], waits: blue[900] } as const
const ICONS = { good: CheckCircle, bad: Cancel, waits: CloudOff } as const

export interface FullResultProps {
  tone: ResultTone
  /** The word on the button that closes it. A touch anywhere does the same. */
  next: string
  onClose: () => void
  /** Further buttons. */
  actions?: ReactNode
  children: ReactNode
}

export function FullResult({ tone, next, onClose, actions, children }: FullResultProps) {
  const Icon = ICONS[tone]
  return (
    <Box
      role="alert"
      onClick={onClose}
      sx={{
        position: 'fixed',
        inset: 0,
        zIndex: 'modal',
        p: 3,
        overflow: 'auto',
        display: 'flex',
        bgcolor: COLORS[tone],
        color: 'common.white',
      }}
    >
      <Stack spacing={3} sx={{ m: 'auto', alignItems: 'center', textAlign: 'center', maxWidth: '100%' }}>
        <Icon sx={{ fontSize: 'min(40vw, 30vh)' }} />
        <Box sx={{ fontSize: '1.25rem', maxWidth: '100%' }}>{children}</Box>
        <Stack direction="row" spacing={2} useFlexGap sx={{ flexWrap: 'wrap', justifyContent: 'center' }}>
          <Button
            variant="outlined"
            color="inherit"
            size="large"
            onClick={onClose}
            sx={{ minWidth: 140, minHeight: 56 }}
          >
            {next}
          </Button>
          {actions}
        </Stack>
      </Stack>
    </Box>
  )
}

/** The words of a result: a large title and details below it. */
export function ResultWords({ title, details }: { title: string; details: readonly string[] }) {
  return (
    <>
      <Typography
        component="p"
        sx={{ fontSize: { xs: '1.5rem', sm: '1.75rem' }, fontWeight: 700, lineHeight: 1.2, overflowWrap: 'anywhere' }}
      >
        {title}
      </Typography>
      {details.map((text) => (
        <Typography key={text} sx={{ overflowWrap: 'anywhere' }}>
          {text}
        </Typography>
      ))}
    </>
  )
}
