/** A button for the selected rows of a table: asks, then works on one row after the other and shows how far it is. */

import { Button, LinearProgress, Typography } from '@mui/material'
import { type ReactNode, useState } from 'react'
import { type Identifier, useListContext, useNotify, useRefresh } from 'react-admin'

import { texts, useTexts } from '../i18n/words.ts'
import { ConfirmDialog } from './dialogs.tsx'

const words = texts({
  en: { progress: (done: number, all: number) => `${done} of ${all}` },
  zh: { progress: (done: number, all: number) => `${done} / ${all}` },
})

export interface BulkActionProps {
  label: string
  icon: ReactNode
  /** The question, for `n` rows. */
  title: (n: number) => string
  /** Says which consequences it has and whether it can be undone. */
  text: ReactNode
  /** Works on one row. The first refusal stops the others. */
  run: (id: Identifier) => Promise<unknown>
  /** Shown when all rows are done. */
  done: (n: number) => string
}

export function BulkAction({ label, icon, title, text, run, done }: BulkActionProps) {
  const t = useTexts(words)
  const notify = useNotify()
  const refresh = useRefresh()
  const { selectedIds, onSelect, onUnselectItems } = useListContext()
  const [isOpen, setOpen] = useState(false)
  const [finished, setFinished] = useState<number>()
  const [error, setError] = useState<unknown>(null)

  const confirm = async () => {
    setError(null)
    const ids = [...selectedIds]
    try {
      for (const [i, id] of ids.entries()) {
        setFinished(i)
        await run(id)
        // Rows that are left after a refusal stay selected.
        onSelect(ids.slice(i + 1))
      }
      setOpen(false)
      onUnselectItems()
      notify(done(ids.length), { type: 'success' })
    } catch (refusal) {
      setError(refusal)
    }
    setFinished(undefined)
    refresh()
  }

  return (
    <>
      <Button size="small" startIcon={icon} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title={title(selectedIds.length)}
        text={
          <>
            {text}
            {finished !== undefined && (
              <>
                <LinearProgress
                  variant="determinate"
                  value={(100 * finished) / Math.max(1, finished + selectedIds.length)}
                  aria-label={label}
                  sx={{ mt: 2, mb: 1 }}
                />
                <Typography variant="body2">{t.progress(finished, finished + selectedIds.length)}</Typography>
              </>
            )}
          </>
        }
        action={label}
        isBusy={finished !== undefined}
        error={error}
        onConfirm={() => void confirm()}
        onClose={() => {
          setOpen(false)
          setError(null)
        }}
      />
    </>
  )
}
