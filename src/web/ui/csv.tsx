/** Exports the rows of a list as CSV: all pages of the current filter, in the current order. */

import { Download } from '@mui/icons-material'
import {
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  IconButton,
  LinearProgress,
  Typography,
} from '@mui/material'
import { useRef, useState } from 'react'

import { saveAs } from '../api/client.ts'
import { ApiError } from '../api/errors.ts'
import { readRows } from '../api/pages.ts'
import { notify } from '../browser/notices.ts'
import { number } from '../i18n/format.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { useTable } from './table/context.ts'

const words = texts({
  en: {
    export: 'Export',
    title: 'Exporting rows',
    cancel: 'Cancel',
    progress: (done: number, total: number) => `${number(done)} of ${number(total)} rows`,
    done: (rows: number) => `Exported ${number(rows)} ${rows === 1 ? 'row' : 'rows'}.`,
    cut: (rows: number) => `Exported the first ${number(rows)} rows. Narrow the filter to export the others.`,
  },
  zh: {
    export: '导出',
    title: '正在导出',
    cancel: '取消',
    progress: (done: number, total: number) => `${number(done)} / ${number(total)} 行`,
    done: (rows: number) => `已导出 ${number(rows)} 行。`,
    cut: (rows: number) => `已导出前 ${number(rows)} 行。请缩小筛选范围以导出其余行。`,
  },
})

export type CsvValue = string | number | boolean | null | undefined

export interface CsvColumn<Row> {
  readonly label: string
  readonly value: (row: Row) => CsvValue
}

const ICON = { width: 44, height: 44 }
const MOST_ROWS = 10_000
/** Excel reads a file without it in the code page of the system. */
const BYTE_ORDER_MARK = '\uFEFF'
/** Spreadsheet programs run such a cell as a formula. The same rule is in src/lib/spreadsheets/csv-writer.ts. */
const FORMULA = /^'*[=+\-@＝＋－＠\t\r\n]/

function cell(value: CsvValue): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  const text = FORMULA.test(value) ? `'${value}` : value
  return /[",;\t\r\n]|^ | $/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A CSV file (RFC 4180, UTF-8) with a row of labels. */
export function csv<Row>(rows: readonly Row[], columns: readonly CsvColumn<Row>[]): Blob {
  const lines = [
    columns.map(({ label }) => cell(label)),
    ...rows.map((row) => columns.map(({ value }) => cell(value(row)))),
  ]
  return new Blob([BYTE_ORDER_MARK, ...lines.map((cells) => `${cells.join(',')}\r\n`)], { type: 'text/csv' })
}

/** `2026-11-23 14:05:09` in the zone of the user: text that spreadsheet programs read as a time. */
export function csvTime(time: number | null | undefined): string {
  if (time === null || time === undefined) return ''
  const two = (value: number) => String(value).padStart(2, '0')
  const at = new Date(time)
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}

/** The export button of a table. */
export function CsvButton<Row>({
  columns,
  name,
  isIcon,
}: {
  columns: readonly CsvColumn<Row>[]
  /** Of the file, without extension. */
  name: string
  /** Without a word, on phones. */
  isIcon: boolean
}) {
  const t = useTexts(words)
  const { operation, query, total } = useTable()
  const [progress, setProgress] = useState<{ done: number; total: number }>()
  const run = useRef<AbortController>(undefined)

  const start = async () => {
    const controller = new AbortController()
    run.current = controller
    setProgress({ done: 0, total })
    const { signal } = controller
    const onRead = (done: number, all: number) => setProgress({ done, total: all })
    try {
      const rows = await readRows<Row>(operation, { query }, { most: MOST_ROWS, signal, onRead })
      saveAs(csv(rows, columns), `${name}.csv`)
      notify(rows.length < MOST_ROWS ? t.done(rows.length) : t.cut(rows.length), 'success')
    } catch (error) {
      if (!controller.signal.aborted) notify(error instanceof ApiError ? error.message : String(error), 'error')
    } finally {
      setProgress(undefined)
    }
  }

  return (
    <>
      {isIcon ? (
        <IconButton color="primary" aria-label={t.export} disabled={total === 0} onClick={() => void start()} sx={ICON}>
          <Download />
        </IconButton>
      ) : (
        <Button startIcon={<Download />} size="small" disabled={total === 0} onClick={() => void start()}>
          {t.export}
        </Button>
      )}
      <Dialog open={progress !== undefined} fullWidth maxWidth="xs" aria-labelledby="export-title">
        <DialogTitle id="export-title">{t.title}</DialogTitle>
        <DialogContent>
          {progress !== undefined && (
            <>
              <LinearProgress
                variant="determinate"
                aria-label={t.title}
                value={
                  progress.total === 0 ? 0 : Math.min(100, (100 * progress.done) / Math.min(progress.total, MOST_ROWS))
                }
              />
              <Typography sx={{ mt: 1 }} color="text.secondary">
                {t.progress(progress.done, Math.min(progress.total, MOST_ROWS))}
              </Typography>
            </>
          )}
        </DialogContent>
        <DialogActions>
          <Button onClick={() => run.current?.abort()}>{t.cancel}</Button>
        </DialogActions>
      </Dialog>
    </>
  )
}
