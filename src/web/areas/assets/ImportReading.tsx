/** Parts of the imports of assets and supplies that show how the file is read: its first rows with the header, its encoding, and the warnings. */

import {
  Alert,
  Box,
  Button,
  Stack,
  Table,
  TableBody,
  TableCell,
  TableContainer,
  TableRow,
  Typography,
} from '@mui/material'
import { useEffect, useState } from 'react'

import type { AssetImportResult } from '../../api/types.ts'
import { withNote } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'

const words = texts({
  en: {
    first: 'Beginning of the file',
    header: (row: number, rows: number) =>
      rows === 2 ? `Rows ${row} and ${row + 1} are the header.` : `Row ${row} is the header.`,
    choose: 'Header',
    chooseRow: (row: number) => `Row ${row} is the header`,
    doubtful: (used: string, other: string) => `The text is read as ${used}, but ${other} is possible too.`,
    as: (encoding: string) => `As ${encoding}`,
    read: (encoding: string) => `Read as ${encoding}`,
    warnings: 'Notes',
    firstWarnings: (shown: number, all: number) => `The first ${shown} of ${all} notes`,
    rows: (rows: readonly number[], more: number) =>
      `${rows.length === 1 ? 'row' : 'rows'} ${rows.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    note: (column: string, message: string) => `${column}: ${message}`,
  },
  zh: {
    first: '文件开头',
    header: (row: number, rows: number) => (rows === 2 ? `第 ${row}、${row + 1} 行是表头。` : `第 ${row} 行是表头。`),
    choose: '表头',
    chooseRow: (row: number) => `第 ${row} 行是表头`,
    doubtful: (used: string, other: string) => `目前按 ${used} 读取，也可能是 ${other}。`,
    as: (encoding: string) => `按 ${encoding}`,
    read: (encoding: string) => `按 ${encoding} 读取`,
    warnings: '提示',
    firstWarnings: (shown: number, all: number) => `共 ${all} 条提示，显示前 ${shown} 条`,
    rows: (rows: readonly number[], more: number) => `第 ${rows.join('、')} 行${more > 0 ? `等，另有 ${more} 行` : ''}`,
    note: (column: string, message: string) => `${column}：${message}`,
  },
})

interface FirstRowsProps {
  result: Pick<AssetImportResult, 'firstRows' | 'headerRow' | 'headerRows'>
  isBusy: boolean
  onChoose: (row: number) => void
}

/** The first rows of the sheet. Each of them can be chosen as the header. */
export function FirstRows({ result: { firstRows, headerRow, headerRows }, isBusy, onChoose }: FirstRowsProps) {
  const t = useTexts(words)
  const isHeader = (row: number) => row >= headerRow && row < headerRow + headerRows
  const rows = firstRows.map((cells, i) => ({ row: i + 1, cells }))
  const width = Math.max(1, ...firstRows.map((cells) => cells.length))
  return (
    <Box sx={{ mb: 2 }}>
      <Typography variant="h3">{t.first}</Typography>
      <Typography variant="body2" color="text.secondary">
        {t.header(headerRow, headerRows)}
      </Typography>
      <TableContainer tabIndex={0} component="section" aria-label={t.first} sx={{ maxHeight: 260 }}>
        <Table size="small" sx={{ whiteSpace: 'nowrap' }}>
          <TableBody>
            {rows.map(({ row, cells }) => (
              <TableRow key={row} selected={isHeader(row)}>
                <TableCell>{row}</TableCell>
                <TableCell sx={{ py: 0 }}>
                  {!isHeader(row) && cells.length > 0 && (
                    <Button size="small" disabled={isBusy} aria-label={t.chooseRow(row)} onClick={() => onChoose(row)}>
                      {t.choose}
                    </Button>
                  )}
                </TableCell>
                {Array.from({ length: width }, (_, at) => (
                  <TableCell
                    key={at}
                    sx={{
                      maxWidth: 180,
                      overflow: 'hidden',
                      textOverflow: 'ellipsis',
                      fontWeight: isHeader(row) ? 650 : undefined,
                    }}
                  >
                    {cells[at] ?? ''}
                  </TableCell>
                ))}
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </TableContainer>
    </Box>
  )
}

/** Characters of the file that are shown in another encoding. */
const SAMPLE_BYTES = 4096
const SAMPLE_LINES = 5

interface EncodingProps {
  result: Pick<AssetImportResult, 'encoding'>
  file: File | undefined
  isBusy: boolean
  onChoose: (encoding: string) => void
}

/** If two encodings are possible, the first lines of the file in both. */
export function EncodingNotice({ result: { encoding }, file, isBusy, onChoose }: EncodingProps) {
  const t = useTexts(words)
  const [bytes, setBytes] = useState<ArrayBuffer>()
  const other = encoding?.certain === false ? encoding.other : null
  useEffect(() => {
    if (other !== null && file !== undefined) void file.slice(0, SAMPLE_BYTES).arrayBuffer().then(setBytes)
  }, [file, other])
  if (encoding === null || other === null || bytes === undefined) return null
  const lines = (name: string) => new TextDecoder(name).decode(bytes).split(/\r?\n/).slice(0, SAMPLE_LINES).join('\n')
  return (
    <Alert
      severity="warning"
      sx={{ mb: 2, '& .MuiAlert-message': { minWidth: 0, flex: 1 } }}
      action={
        <Button color="inherit" disabled={isBusy} onClick={() => onChoose(other)}>
          {t.read(other)}
        </Button>
      }
    >
      {t.doubtful(encoding.used, other)}
      <Stack direction={{ xs: 'column', md: 'row' }} spacing={2} sx={{ mt: 1 }}>
        {[encoding.used, other].map((name) => (
          <Box key={name} sx={{ minWidth: 0, flex: 1 }}>
            <Typography variant="body2" sx={{ fontWeight: 650 }}>
              {t.as(name)}
            </Typography>
            <Box component="pre" sx={{ m: 0, overflow: 'hidden', textOverflow: 'ellipsis', fontSize: '.8rem' }}>
              {lines(name)}
            </Box>
          </Box>
        ))}
      </Stack>
    </Alert>
  )
}

const ROWS = 8

/** The warnings of a check, those of one kind together. */
export function Warnings({ result }: { result: Pick<AssetImportResult, 'warnings' | 'warningCount'> }) {
  const { warnings, warningCount } = result
  const t = useTexts(words)
  if (warnings.length === 0) return null
  const kinds = Map.groupBy(warnings, ({ column, message }) => JSON.stringify([column, message]))
  return (
    <Alert severity="info" sx={{ width: '100%' }}>
      <Typography variant="h3">{t.warnings}</Typography>
      {warningCount > warnings.length && (
        <Typography variant="body2">{t.firstWarnings(warnings.length, warningCount)}</Typography>
      )}
      <Stack component="ul" spacing={0.5} sx={{ pl: 2.5, my: 1 }}>
        {[...kinds].map(([kind, all]) => {
          const { column, message } = all[0]!
          return (
            <li key={kind}>
              {withNote(
                column === null ? message : t.note(column, message),
                t.rows(
                  all.slice(0, ROWS).map(({ row }) => row),
                  all.length - ROWS,
                ),
              )}
            </li>
          )
        })}
      </Stack>
    </Alert>
  )
}
