/** Exports assets as a workbook or as CSV. */

import { Download } from '@mui/icons-material'
import { Button, Menu, MenuItem } from '@mui/material'
import { useState } from 'react'

import { download } from '../../api/client.ts'
import { notify } from '../../browser/notices.ts'
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
  const [isBusy, setBusy] = useState(false)
  const save = async (format: 'xlsx' | 'csv') => {
    setAnchor(null)
    setBusy(true)
    try {
      await download('assets.export', { query: { ...query, format, lang, tz: timeZone() } }, `assets.${format}`)
    } catch (error) {
      notify((error as Error).message, 'error')
    }
    setBusy(false)
  }
  return (
    <>
      <Button
        startIcon={<Download />}
        loading={isBusy}
        aria-haspopup="menu"
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        {t.export}
      </Button>
      <Menu anchorEl={anchor} open={anchor !== null} onClose={() => setAnchor(null)}>
        <MenuItem onClick={() => void save('xlsx')}>{t.excel}</MenuItem>
        <MenuItem onClick={() => void save('csv')}>{t.csv}</MenuItem>
      </Menu>
    </>
  )
}
