/** The result of a scan over the whole screen, and for some seconds a button that takes an entry back. */

import { Undo } from '@mui/icons-material'
import { Button } from '@mui/material'
import { useEffect, useState } from 'react'

import type { PassUse } from '../../../api/types.ts'
import { notify } from '../../../browser/notices.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { FullResult } from '../../../ui/FullResult.tsx'
import type { Gate } from './use-gate.ts'
import type { Verdict } from './use-verdicts.ts'
import { VerdictWords } from './VerdictCard.tsx'

const words = texts({
  en: { next: 'Next', undo: 'Undo this entry', undone: 'The scan is undone.' },
  zh: { next: '下一位', undo: '撤销此次入场', undone: '已撤销。' },
})

/** Milliseconds for which a green result is shown: the next visitor is already there. A red one stays until it is touched. */
const SHORT = 2_500
/** Milliseconds in which an entry can be undone with one touch. */
const SOON = 10_000

export interface ResultProps {
  gate: Gate
  /** Undefined: the gate may not. */
  undo: ((use: PassUse, reason: string | null) => Promise<PassUse>) | undefined
}

export function Result({ gate, undo }: ResultProps) {
  const { verdict } = gate
  if (verdict === undefined) return null
  return <Shown key={verdict.key} gate={gate} verdict={verdict} undo={undo} />
}

function Shown({ gate, verdict, undo }: ResultProps & { verdict: Verdict }) {
  const t = useTexts(words)
  const { isValid, scan, direction } = verdict
  const [isOpen, setOpen] = useState(true)
  const [isSoon, setSoon] = useState(true)
  useEffect(() => {
    const timers = [setTimeout(() => setSoon(false), SOON)]
    if (isValid) timers.push(setTimeout(() => setOpen(false), SHORT))
    return () => timers.forEach((timer) => clearTimeout(timer))
  }, [isValid])
  const undoButton = undo && isSoon && isValid && scan && direction === 'ENTRY' && (
    <UndoEntry use={scan.use} undo={undo} onDone={gate.undone} />
  )
  if (!isOpen) return undoButton || null
  return (
    <FullResult tone={isValid ? 'good' : 'bad'} next={t.next} onClose={() => setOpen(false)} actions={undoButton}>
      <VerdictWords verdict={verdict} />
    </FullResult>
  )
}

interface UndoEntryProps {
  use: PassUse
  undo: NonNullable<ResultProps['undo']>
  onDone: (use: PassUse) => unknown
}

function UndoEntry({ use, undo, onDone }: UndoEntryProps) {
  const t = useTexts(words)
  const [isBusy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    try {
      const undone = await undo(use, null)
      notify(t.undone, 'success')
      onDone(undone)
    } catch (error) {
      notify((error as Error).message, 'error')
      setBusy(false)
    }
  }
  return (
    <Button
      variant="outlined"
      color="inherit"
      size="large"
      startIcon={<Undo />}
      loading={isBusy}
      onClick={(event) => {
        // A touch beside it closes the result.
        event.stopPropagation()
        void run()
      }}
      sx={{ minHeight: 56 }}
    >
      {t.undo}
    </Button>
  )
}
