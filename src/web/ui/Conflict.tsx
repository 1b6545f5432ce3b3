/** The question of a form whose row somebody else has changed since the form was filled in. */

import { Box, Button, Dialog, DialogActions, DialogContent, DialogTitle, Typography } from '@mui/material'

import { labelled } from '../i18n/format.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { useIsPhone } from './use-is-phone.ts'

const words = texts({
  en: {
    title: 'Someone changed this meanwhile',
    text: 'Your text is still in the form. “Keep yours” saves your changes, and leaves the other fields as they are now. “Take theirs” fills the form with the saved version.',
    now: 'Now',
    yours: 'Yours',
    untouched: 'not changed by you',
    keep: 'Keep yours',
    take: 'Take theirs',
    back: 'Back to the form',
  },
  zh: {
    title: '其他人已修改此内容',
    text: '你填写的内容没有丢失。保留我的：保存你的修改，你未改动的字段保持当前内容。采用对方的：表单显示当前已保存的内容。',
    now: '当前',
    yours: '你的',
    untouched: '你未改动',
    keep: '保留我的',
    take: '采用对方的',
    back: '返回表单',
  },
})

/** A field whose saved value is another one than that in the form. */
export interface Difference {
  readonly label: string
  readonly now: string
  /** Undefined if the user did not change it. */
  readonly yours: string | undefined
}

export interface Conflict {
  /** Called when the fields of the form have been drawn: they say how a value is shown. */
  readonly differences: () => readonly Difference[]
  readonly isBusy: boolean
  readonly onKeep: () => void
  readonly onTake: () => void
  readonly onClose: () => void
}

export function ConflictDialog({ conflict }: { conflict: Conflict | undefined }) {
  const t = useTexts(words)
  const isPhone = useIsPhone()
  if (conflict === undefined) return null
  const { isBusy, onKeep, onTake, onClose } = conflict
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="sm" fullScreen={isPhone} aria-labelledby="conflict-title">
      <DialogTitle id="conflict-title">{t.title}</DialogTitle>
      <DialogContent>
        <Typography sx={{ mb: 2 }}>{t.text}</Typography>
        {conflict.differences().map(({ label, now, yours }) => (
          <Box key={label} component="section" aria-label={label} sx={{ mb: 2, overflowWrap: 'anywhere' }}>
            <Typography variant="h3">{label}</Typography>
            <Typography>{labelled(t.now, now || '–')}</Typography>
            <Typography color={yours === undefined ? 'text.secondary' : 'text.primary'}>
              {labelled(t.yours, yours === undefined ? t.untouched : yours || '–')}
            </Typography>
          </Box>
        ))}
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose} autoFocus>
          {t.back}
        </Button>
        <Button onClick={onTake} disabled={isBusy}>
          {t.take}
        </Button>
        <Button variant="contained" loading={isBusy} onClick={onKeep}>
          {t.keep}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
