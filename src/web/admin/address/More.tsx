/** Fields that few people need, folded until somebody asks for them. */

import { ExpandLess, ExpandMore } from '@mui/icons-material'
import { Box, Button, Stack } from '@mui/material'
import { type ReactNode, useId, useState } from 'react'

import { texts, useTexts } from '../../i18n/words.ts'

const words = texts({ en: { more: 'More' }, zh: { more: '更多' } })

/** `hasProblem`: one of the fields is to be corrected, so it is shown. */
export function More({ hasProblem, children }: { hasProblem: boolean; children: ReactNode }) {
  const t = useTexts(words)
  const id = useId()
  const [isAsked, setAsked] = useState(false)
  const isOpen = isAsked || hasProblem
  return (
    <Box>
      <Button
        size="small"
        startIcon={isOpen ? <ExpandLess /> : <ExpandMore />}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setAsked(!isOpen)}
      >
        {t.more}
      </Button>
      <Stack id={id} spacing={2} sx={{ pt: isOpen ? 2 : 0 }}>
        {isOpen && children}
      </Stack>
    </Box>
  )
}
