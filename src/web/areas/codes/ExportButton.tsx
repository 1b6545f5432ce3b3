/** Downloads codes as pictures in an archive, or as a table: those with the ids, those of a folder, or all. */

import { FileDownload } from '@mui/icons-material'
import { Button, ListItemText, Menu, MenuItem } from '@mui/material'
import { useState } from 'react'

import { useDownload } from '../../api/hooks.ts'
import { common } from '../../i18n/common.ts'
import { timeZone } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery } from '../../session/session.ts'

const words = texts({
  en: {
    ...common.en,
    zip: 'Pictures (ZIP)',
    zipText: 'A PNG of 1024 pixels for each code, and a list',
    xlsx: 'Excel table',
    csv: 'CSV table',
  },
  zh: {
    ...common.zh,
    zip: '图片压缩包（ZIP）',
    zipText: '每个二维码一张 1024 像素的 PNG，附列表',
    xlsx: 'Excel 表格',
    csv: 'CSV 表格',
  },
})

/** Pixels per side: sharp on a printed page of 8 cm. */
const SIZE = 1024

export interface ExportButtonProps {
  ids?: readonly number[]
  /** 0: codes without a folder. */
  folder?: number | undefined
}

export function ExportButton({ ids, folder }: ExportButtonProps) {
  const t = useTexts(words)
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const file = useDownload()
  const start = (format: 'zip' | 'xlsx' | 'csv') => {
    setAnchor(null)
    const codes = ids === undefined ? { ...(folder !== undefined && { categoryId: folder }) } : { ids: [...ids] }
    const body = { ...codes, format, ...(format === 'zip' && { size: SIZE }) }
    file.mutate(['qrCodes.export', { query: { ...ownerQuery(), tz: timeZone() }, body }, `qr-codes.${format}`])
  }
  return (
    <>
      <Button
        startIcon={<FileDownload />}
        loading={file.isPending}
        loadingPosition="start"
        aria-haspopup="menu"
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        {t.export}
      </Button>
      <Menu anchorEl={anchor} open={anchor !== null} onClose={() => setAnchor(null)}>
        <MenuItem onClick={() => start('zip')}>
          <ListItemText primary={t.zip} secondary={t.zipText} />
        </MenuItem>
        <MenuItem onClick={() => start('xlsx')}>{t.xlsx}</MenuItem>
        <MenuItem onClick={() => start('csv')}>{t.csv}</MenuItem>
      </Menu>
    </>
  )
}
