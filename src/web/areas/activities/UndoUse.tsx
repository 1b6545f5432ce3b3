/** Takes back the latest use of a pass, for example of the wrong person. */

import { Undo } from '@mui/icons-material'
import { Button, TextField } from '@mui/material'
import { useState } from 'react'

import type { PassUse } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { useForm } from '../../ui/use-form.tsx'

const words = texts({
  en: {
    undo: 'Undo',
    undoOf: (name: string) => `Undo: ${name}`,
    entryTitle: (name: string) => `Undo the entry of ${name}?`,
    exitTitle: (name: string) => `Undo the exit of ${name}?`,
    text: 'The pass is then as before this scan, and the scan no longer counts. It stays in the list.',
    reason: 'Reason (optional)',
    undone: 'The scan is undone.',
  },
  zh: {
    undo: '撤销',
    undoOf: (name: string) => `撤销：${name}`,
    entryTitle: (name: string) => `撤销 ${name} 的入场？`,
    exitTitle: (name: string) => `撤销 ${name} 的离场？`,
    text: '通行证将恢复到本次扫码之前的状态，此记录不再计数，但仍保留在列表中。',
    reason: '原因（可不填）',
    undone: '已撤销。',
  },
})

export interface UndoUseProps {
  activityId: number
  use: PassUse
  onDone?: ((use: PassUse) => unknown) | undefined
  /** Instead of the operation for users, if the page is a gate without an account. */
  send?: (use: PassUse, reason: string | null) => Promise<PassUse>
}

export function UndoUse(props: UndoUseProps) {
  const t = useTexts(words)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        size="small"
        startIcon={<Undo />}
        aria-label={t.undoOf(props.use.holderName)}
        onClick={() => setOpen(true)}
        sx={{ ml: 1 }}
      >
        {t.undo}
      </Button>
      {isOpen && <UndoDialog {...props} onClose={() => setOpen(false)} />}
    </>
  )
}

function UndoDialog({ activityId, use, onDone, send, onClose }: UndoUseProps & { onClose: () => void }) {
  const t = useTexts(words)
  const form = useForm(
    'passes.undo',
    { reason: '' },
    {
      done: t.undone,
      refreshes: ['passes', 'activities'],
      onDone: (undone) => {
        onClose()
        onDone?.(undone)
      },
      ...(send && { send: ({ body }) => send(use, body?.reason ?? null) }),
      input: ({ reason }) => ({
        params: { id: activityId, recordId: use.id },
        body: { reason: reason.trim() || null },
      }),
    },
  )
  return (
    <ConfirmDialog
      isOpen
      form={form}
      color="primary"
      title={(use.direction === 'EXIT' ? t.exitTitle : t.entryTitle)(use.holderName)}
      text={t.text}
      action={t.undo}
      onClose={onClose}
    >
      <TextField {...form.text('reason', { label: t.reason })} />
    </ConfirmDialog>
  )
}
