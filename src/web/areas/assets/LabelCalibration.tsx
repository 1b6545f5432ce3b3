/** A calibration page of the printer, and two fields for its measured size. */

import { Button, Dialog, DialogActions, DialogContent, DialogTitle, Stack, Typography } from '@mui/material'
import { useId, useState } from 'react'

import { useDownload } from '../../api/hooks.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useOwnerQuery } from '../../session/session.ts'
import { NumberSetting } from './inputs.tsx'
import { calibrationFrame, profileBody, type Settings } from './label-order.ts'

const words = texts({
  en: {
    ...common.en,
    page: 'Print calibration page',
    title: 'Calibrate the printer',
    text: (width: number, height: number) =>
      `Print the page at 100 %. Its frame should be ${width} mm wide and ${height} mm high. Measure it, and enter what you find.`,
    width: 'Measured width (mm)',
    height: 'Measured height (mm)',
    apply: 'Apply',
  },
  zh: {
    ...common.zh,
    page: '打印校准页',
    title: '校准打印机',
    text: (width: number, height: number) =>
      `以 100% 打印该页。框应为宽 ${width} 毫米、高 ${height} 毫米，请测量后填写。`,
    width: '测得的宽（毫米）',
    height: '测得的高（毫米）',
    apply: '应用',
  },
})

const corrected = (scale: number, nominal: number, measured: number | null): number =>
  measured === null || Number.isNaN(measured) || measured <= 0
    ? scale
    : Math.round(Math.min(1.05, Math.max(0.95, (scale * nominal) / measured)) * 1000) / 1000

export function LabelCalibration({
  settings,
  onChange,
}: {
  settings: Settings
  onChange: (settings: Settings) => void
}) {
  const t = useTexts(words)
  const id = useId()
  const owned = useOwnerQuery()
  const file = useDownload()
  const [isOpen, setOpen] = useState(false)
  const [measured, setMeasured] = useState<{ width: number | null; height: number | null }>({
    width: null,
    height: null,
  })
  const [width, height] = calibrationFrame(settings.media).map((length) => Math.round(length * 10) / 10) as [
    number,
    number,
  ]
  const print = () => {
    const body = { ...owned, profile: profileBody(settings), format: 'PDF' as const }
    file.mutate(['labelProfiles.calibrate', { body }, 'calibration.pdf'])
    setOpen(true)
  }
  return (
    <>
      <Button onClick={print} disabled={file.isPending} sx={{ mt: 1 }}>
        {t.page}
      </Button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} fullWidth maxWidth="xs" aria-labelledby={id}>
        <DialogTitle id={id}>{t.title}</DialogTitle>
        <DialogContent>
          <Stack spacing={2}>
            <Typography>{t.text(width, height)}</Typography>
            <NumberSetting
              name="measuredWidth"
              label={t.width}
              value={measured.width}
              onChange={(n) => setMeasured({ ...measured, width: n })}
            />
            <NumberSetting
              name="measuredHeight"
              label={t.height}
              value={measured.height}
              onChange={(n) => setMeasured({ ...measured, height: n })}
            />
          </Stack>
        </DialogContent>
        <DialogActions>
          <Button onClick={() => setOpen(false)}>{t.cancel}</Button>
          <Button
            variant="contained"
            onClick={() => {
              onChange({
                ...settings,
                scaleX: corrected(settings.scaleX, width, measured.width),
                scaleY: corrected(settings.scaleY, height, measured.height),
              })
              setOpen(false)
            }}
          >
            {t.apply}
          </Button>
        </DialogActions>
      </Dialog>
    </>
  )
}
