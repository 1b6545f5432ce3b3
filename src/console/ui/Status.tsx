/** A state in words with a coloured dot. The colour repeats the word, so nothing depends on seeing it. */

import { Box, Stack } from '@mui/material'

export type Tone = 'good' | 'bad' | 'warning' | 'neutral'

const COLOR: Record<Tone, string> = {
  good: 'success.main',
  bad: 'error.main',
  warning: 'warning.main',
  neutral: 'text.disabled',
}

export function Status({ tone, text }: { tone: Tone; text: string }) {
  return (
    <Stack component="span" direction="row" spacing={0.75} sx={{ alignItems: 'center', display: 'inline-flex' }}>
      <Box component="span" sx={{ width: 9, height: 9, borderRadius: '50%', bgcolor: COLOR[tone], flexShrink: 0 }} />
      <span>{text}</span>
    </Stack>
  )
}
