/** Prints codes as labels. The sheets are drawn twice: as a preview, and outside the page for the printer only. */

import { Print, QrCode2 } from '@mui/icons-material'
import {
  Alert,
  Box,
  Button,
  Card,
  CardContent,
  FormControlLabel,
  GlobalStyles,
  MenuItem,
  Portal,
  Stack,
  Switch,
  TextField,
  Typography,
} from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link, useSearchParams } from 'react-router'

import { call } from '../../api/client.ts'
import type { QrCode } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery } from '../../session/session.ts'
import { Answer, EmptyState } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { LabelSheet } from './LabelSheet.tsx'
import {
  type Caption,
  CAPTIONS,
  type Grid,
  GRIDS,
  labelSize,
  labelsPerSheet,
  type Paper,
  PAPERS,
  sheetsOf,
} from './sheet.ts'
import { codeWords } from './words.ts'

const words = texts({
  en: {
    title: 'Print labels',
    none: 'No codes selected',
    noneText: 'Select codes in the list, then choose “Print”.',
    toList: 'To my codes',
    paper: 'Paper',
    papers: { A4: 'A4', LETTER: 'US Letter' },
    grid: 'Labels on a sheet',
    gridOf: (columns: number, rows: number, size: string) => `${columns} × ${rows} (${size} mm)`,
    caption: 'Text',
    captions: { name: 'Name', content: 'Content', both: 'Name and content', none: 'None' },
    copies: 'Copies of each code',
    skip: 'Start at label',
    lines: 'Cutting lines',
    count: (labels: number, sheets: number) =>
      `${labels} ${labels === 1 ? 'label' : 'labels'} on ${sheets} ${sheets === 1 ? 'sheet' : 'sheets'}`,
    hint: 'In the dialog of your browser, choose the same paper, no margins, and 100 % as the scale.',
    preview: 'Preview of the first sheet',
    small: 'The codes are smaller than 15 mm. Print one and try to scan it before you print all.',
  },
  zh: {
    title: '打印标签',
    none: '未选择二维码',
    noneText: '请先在列表中选择二维码，再点“打印”。',
    toList: '前往我的二维码',
    paper: '纸张',
    papers: { A4: 'A4', LETTER: 'US Letter' },
    grid: '每页标签',
    gridOf: (columns: number, rows: number, size: string) => `${columns} × ${rows}（${size} 毫米）`,
    caption: '文字',
    captions: { name: '名称', content: '内容', both: '名称和内容', none: '无' },
    copies: '每个份数',
    skip: '从第几格开始',
    lines: '裁切线',
    count: (labels: number, sheets: number) => `${labels} 个标签，共 ${sheets} 页`,
    hint: '在浏览器的打印窗口中选择相同的纸张、无边距、缩放 100%。',
    preview: '第一页预览',
    small: '二维码小于 15 毫米，请先打印一个试扫，再打印全部。',
  },
})

/** Requests that run at the same time. */
const AT_ONCE = 6
/** Copies of all codes together, so that the browser can still draw the sheets. */
const MAX_LABELS = 2000
/** Millimetres below which phones often fail. */
const SMALLEST_CODE = 15

export default function PrintSheet() {
  const t = useTexts(words)
  const [params] = useSearchParams()
  const ids = useMemo(
    () =>
      [...new Set((params.get('ids') ?? '').split(',').map(Number))].filter((id) => Number.isSafeInteger(id) && id > 0),
    [params],
  )
  const query = useQuery({
    queryKey: ['qrCodes', 'print', ids, ownerQuery()],
    queryFn: () => readCodes(ids),
    enabled: ids.length > 0,
    staleTime: 60_000,
  })
  return (
    <Page title={t.title} back="/codes" width={1200}>
      {ids.length === 0 ? (
        <EmptyState
          icon={QrCode2}
          title={t.none}
          text={t.noneText}
          action={
            <Button component={Link} to="/codes" variant="contained">
              {t.toList}
            </Button>
          }
        />
      ) : (
        <Answer query={query}>{(codes) => <Sheets codes={codes} />}</Answer>
      )}
    </Page>
  )
}

/** Reads codes one by one, because the interface has no operation for several. Keeps the order. */
async function readCodes(ids: readonly number[]): Promise<QrCode[]> {
  const codes: QrCode[] = []
  for (let at = 0; at < ids.length; at += AT_ONCE)
    codes.push(
      ...(await Promise.all(
        ids.slice(at, at + AT_ONCE).map((id) => call('qrCodes.get', { params: { id }, query: ownerQuery() })),
      )),
    )
  return codes
}

function Sheets({ codes }: { codes: readonly QrCode[] }) {
  const t = useTexts(words)
  const shared = useTexts(codeWords)
  const [paper, setPaper] = useState<Paper>('A4')
  const [grid, setGrid] = useState<Grid>(codes.length === 1 ? '2x4' : '3x8')
  const [caption, setCaption] = useState<Caption>('name')
  const [copies, setCopies] = useState(1)
  const [first, setFirst] = useState(1)
  const [hasLines, setLines] = useState(true)

  const used = Math.max(1, Math.min(copies, Math.floor(MAX_LABELS / codes.length)))
  const labels = codes.flatMap((code) => Array.from({ length: used }, () => code))
  const sheet = { paper, grid, skip: Math.max(0, Math.min(first, labelsPerSheet(grid)) - 1) }
  const sheets = sheetsOf(labels, sheet)
  const { width, height } = labelSize(sheet)
  const drawing = { sheet, caption, hasLines }
  const numberField = (label: string, value: number, set: (n: number) => void, max: number) => (
    <TextField
      type="number"
      label={label}
      value={value}
      onChange={(event) => set(Math.max(1, Math.min(max, Math.floor(Number(event.target.value)) || 1)))}
      slotProps={{ htmlInput: { min: 1, max } }}
    />
  )
  return (
    <>
      <Box sx={{ display: 'grid', gap: 3, gridTemplateColumns: { md: '300px minmax(0, 1fr)' }, alignItems: 'start' }}>
        <Card>
          <CardContent component={Stack} spacing={2}>
            <TextField select label={t.paper} value={paper} onChange={({ target }) => setPaper(target.value as Paper)}>
              {(Object.keys(PAPERS) as Paper[]).map((value) => (
                <MenuItem key={value} value={value}>
                  {t.papers[value]}
                </MenuItem>
              ))}
            </TextField>
            <TextField select label={t.grid} value={grid} onChange={({ target }) => setGrid(target.value as Grid)}>
              {(Object.keys(GRIDS) as Grid[]).map((value) => {
                const size = labelSize({ paper, grid: value, skip: 0 })
                const { columns, rows } = GRIDS[value]
                return (
                  <MenuItem key={value} value={value}>
                    {t.gridOf(columns, rows, `${Math.floor(size.width)} × ${Math.floor(size.height)}`)}
                  </MenuItem>
                )
              })}
            </TextField>
            <TextField
              select
              label={t.caption}
              value={caption}
              onChange={({ target }) => setCaption(target.value as Caption)}
            >
              {CAPTIONS.map((value) => (
                <MenuItem key={value} value={value}>
                  {t.captions[value]}
                </MenuItem>
              ))}
            </TextField>
            <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: '1fr 1fr' }}>
              {numberField(t.copies, copies, setCopies, 500)}
              {numberField(t.skip, first, setFirst, labelsPerSheet(grid))}
            </Box>
            <FormControlLabel
              control={<Switch checked={hasLines} onChange={(event) => setLines(event.target.checked)} />}
              label={t.lines}
            />
            <Typography component="output">{t.count(labels.length, sheets.length)}</Typography>
            {Math.min(width, height) * 0.7 < SMALLEST_CODE && <Alert severity="info">{t.small}</Alert>}
            <Button variant="contained" startIcon={<Print />} onClick={() => globalThis.print()}>
              {shared.print}
            </Button>
            <Typography variant="body2" color="text.secondary">
              {t.hint}
            </Typography>
          </CardContent>
        </Card>
        <Box
          component="section"
          aria-label={t.preview}
          sx={{ containerType: 'inline-size', border: 1, borderColor: 'divider', maxWidth: 720 }}
        >
          <LabelSheet labels={sheets[0] ?? []} isPaper={false} {...drawing} />
        </Box>
      </Box>
      <GlobalStyles
        styles={{
          '@page': { size: `${PAPERS[paper][0]}mm ${PAPERS[paper][1]}mm`, margin: 0 },
          '@media print': { '#root': { display: 'none !important' }, 'html, body': { background: '#fff', margin: 0 } },
        }}
      />
      <Portal>
        <Box data-print-sheets sx={{ display: 'none', '@media print': { display: 'block' } }}>
          {sheets.map((labels, i) => (
            // oxlint-disable-next-line react/no-array-index-key -- sheets have no other identity
            <LabelSheet key={i} labels={labels} isPaper {...drawing} />
          ))}
        </Box>
      </Portal>
    </>
  )
}
