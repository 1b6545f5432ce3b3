/** Labels on sheets of paper. They are drawn twice: as a preview, and for the printer. */

import { Print } from '@mui/icons-material'
import {
  Alert,
  Box,
  Button,
  Card,
  CardContent,
  Checkbox,
  FormControl,
  FormControlLabel,
  FormGroup,
  FormLabel,
  Stack,
  TextField,
  Typography,
} from '@mui/material'
import { useState } from 'react'

import { texts, useTexts } from '../../i18n/words.ts'
import { usePrinting } from '../AddressWarning.tsx'
import { CheckField, ChoiceField } from '../fields.tsx'
import { LabelSheet } from './LabelSheet.tsx'
import { OnPaper } from './OnPaper.tsx'
import {
  type Grid,
  GRIDS,
  type Label,
  labelSize,
  labelsPerSheet,
  type Paper,
  PAPERS,
  type Part,
  type Printing,
  sheetsOf,
} from './sheet.ts'

const words = texts({
  en: {
    paper: 'Paper',
    papers: { A4: 'A4', LETTER: 'US Letter' },
    grid: 'Labels on a sheet',
    gridOf: (columns: number, rows: number, size: string) => `${columns} × ${rows} (${size} mm)`,
    text: 'Text',
    copies: 'Copies of each',
    skip: 'Start at label',
    lines: 'Cutting lines',
    count: (labels: number, sheets: number) =>
      `${labels} ${labels === 1 ? 'label' : 'labels'} on ${sheets} ${sheets === 1 ? 'sheet' : 'sheets'}`,
    print: 'Print',
    hint: 'In the dialog of your browser, choose the same paper, no margins, and 100 % as the scale.',
    preview: 'Preview of the first sheet',
    small: 'The codes are smaller than 15 mm. Print one and try to scan it before you print all.',
  },
  zh: {
    paper: '纸张',
    papers: { A4: 'A4', LETTER: 'US Letter' },
    grid: '每页标签',
    gridOf: (columns: number, rows: number, size: string) => `${columns} × ${rows}（${size} 毫米）`,
    text: '文字',
    copies: '每个份数',
    skip: '从第几格开始',
    lines: '裁切线',
    count: (labels: number, sheets: number) => `${labels} 个标签，共 ${sheets} 页`,
    print: '打印',
    hint: '在浏览器的打印窗口中选择相同的纸张、无边距、缩放 100%。',
    preview: '第一页预览',
    small: '二维码小于 15 毫米，请先打印一个试扫，再打印全部。',
  },
})

/** Labels of all things together, so that the browser can still draw the sheets. */
const MAX_LABELS = 2000
/** Millimetres below which phones often fail. */
const SMALLEST_CODE = 15

export function PrintSheet<Thing>({ things, parts, label, Warnings }: Printing<Thing> & { things: readonly Thing[] }) {
  const t = useTexts(words)
  const [settings, setSettings] = useState(() => ({
    paper: 'A4' as Paper,
    grid: (things.length === 1 ? '2x4' : '3x8') as Grid,
    chosen: parts.filter(({ isChosen }) => isChosen).map(({ id }) => id),
    copies: 1,
    first: 1,
    hasLines: true,
  }))
  const set = (part: Partial<typeof settings>) => setSettings((now) => ({ ...now, ...part }))
  const { paper, grid, chosen, copies, first, hasLines } = settings

  const used = Math.max(1, Math.min(copies, Math.floor(MAX_LABELS / things.length)))
  const isPrinted = ({ id }: Part<Thing>) => chosen.includes(id)
  const labels = things.flatMap((thing) => {
    const one: Label = { ...label(thing), lines: parts.filter(isPrinted).map((part) => part.of(thing)) }
    return Array.from({ length: used }, () => one)
  })
  const sheet = { paper, grid, skip: Math.max(0, Math.min(first, labelsPerSheet(grid)) - 1) }
  const sheets = sheetsOf(labels, sheet)
  const { width, height } = labelSize(sheet)
  const { ask, question, report } = usePrinting()
  const contents = labels.map(({ content }) => content)
  const print = () =>
    ask(() => {
      report(contents)
      globalThis.print()
    }, contents)
  const drawing = { sheet, hasLines }
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
            <ChoiceField
              label={t.paper}
              value={paper}
              onChange={(value) => set({ paper: value })}
              choices={Object.keys(PAPERS).map((id) => ({ id, name: t.papers[id as Paper] }))}
            />
            <ChoiceField
              label={t.grid}
              value={grid}
              onChange={(value) => set({ grid: value })}
              choices={Object.keys(GRIDS).map((id) => {
                const size = labelSize({ paper, grid: id as Grid, skip: 0 })
                const { columns, rows } = GRIDS[id as Grid]
                return { id, name: t.gridOf(columns, rows, `${Math.floor(size.width)} × ${Math.floor(size.height)}`) }
              })}
            />
            <FormControl component="fieldset">
              <FormLabel component="legend">{t.text}</FormLabel>
              <FormGroup>
                {parts.map((part) => (
                  <FormControlLabel
                    key={part.id}
                    label={part.label}
                    control={
                      <Checkbox
                        checked={isPrinted(part)}
                        onChange={(_, isOn) =>
                          set({ chosen: isOn ? [...chosen, part.id] : chosen.filter((id) => id !== part.id) })
                        }
                      />
                    }
                  />
                ))}
              </FormGroup>
            </FormControl>
            <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: '1fr 1fr' }}>
              {numberField(t.copies, copies, (n) => set({ copies: n }), 500)}
              {numberField(t.skip, first, (n) => set({ first: n }), labelsPerSheet(grid))}
            </Box>
            <CheckField name="lines" label={t.lines} value={hasLines} onChange={(isOn) => set({ hasLines: isOn })} />
            <Typography component="output">{t.count(labels.length, sheets.length)}</Typography>
            {Math.min(width, height) * 0.7 < SMALLEST_CODE && <Alert severity="info">{t.small}</Alert>}
            <Warnings things={things} />
            <Button variant="contained" startIcon={<Print />} onClick={print}>
              {t.print}
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
      {question}
      <OnPaper paper={paper}>
        {sheets.map((labels, i) => (
          // oxlint-disable-next-line react/no-array-index-key -- sheets have no other identity
          <LabelSheet key={i} labels={labels} isPaper {...drawing} />
        ))}
      </OnPaper>
    </>
  )
}
