/** The last scans of this gate, so that a mistake can be undone while the visitor is still there. */

import { Box, Card, CardContent, Typography } from '@mui/material'

import { texts, useTexts } from '../../../i18n/words.ts'
import { isLatest, UseRow } from '../PassUses.tsx'
import type { UndoUseProps } from '../UndoUse.tsx'
import type { Gate } from './use-gate.ts'

const words = texts({ en: { title: 'Last scans' }, zh: { title: '最近扫码' } })

interface LastScansProps {
  gate: Gate
  undo: Omit<UndoUseProps, 'use' | 'onDone'> | undefined
}

export function LastScans({ gate: { lastScans, undone }, undo }: LastScansProps) {
  const t = useTexts(words)
  const uses = lastScans.map(({ use }) => use)
  if (uses.length === 0) return null
  return (
    <Card variant="outlined">
      <CardContent>
        <Typography variant="h2" id="last-scans">
          {t.title}
        </Typography>
        <Box component="ul" aria-labelledby="last-scans" sx={{ listStyle: 'none', m: 0, p: 0 }}>
          {uses.map((use) => (
            <Box key={use.id} component="li" sx={{ py: 1, '& + &': { borderTop: 1, borderColor: 'divider' } }}>
              <UseRow use={use} {...(undo && isLatest(use, uses) && { undo: { ...undo, onDone: undone } })} />
            </Box>
          ))}
        </Box>
      </CardContent>
    </Card>
  )
}
