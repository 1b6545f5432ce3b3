/** Exports assets as a workbook or as CSV. */

import { Download } from '@mui/icons-material'
import { Button, Menu, MenuItem } from '@mui/material'
import { useState } from 'react'

import { useDownload } from '../../api/hooks.ts'
import { timeZone } from '../../i18n/format.ts'
import { texts, useLocale, useTexts } from '../../i18n/words.ts'

const words = texts({
  en: { export: 'Export', excel: 'Excel workbook', csv: 'CSV' },
  zh: { export: '导出', excel: 'Excel 表格', csv: 'CSV' },
})

export function ExportMenu({ query }: { query: object }) {
  const t = useTexts(words)
  const lang = useLocale()
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const file = useDownload()
  const save = (format: 'xlsx' | 'csv') => {
    setAnchor(null)
    file.mutate(['assets.export', { query: { ...query, format, lang, tz: timeZone() } }, `assets.${format}`])
  }
  return (
    <>
      <Button
        startIcon={<Download />}
        loading={file.isPending}
        aria-haspopup="menu"
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        {t.export}
      </Button>
      <Menu anchorEl={anchor} open={anchor !== null} onClose={() => setAnchor(null)}>
        <MenuItem onClick={() => save('xlsx')}>{t.excel}</MenuItem>
        <MenuItem onClick={() => save('csv')}>{t.csv}</MenuItem>
      </Menu>
    </>
  )
}
