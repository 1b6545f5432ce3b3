/** Imports a spreadsheet of supplies, and undoes imports: choose the file, match its columns, check, import. */

import { Download } from '@mui/icons-material'
import { Box, Button, Card, CardContent, Stack, TextField, Typography } from '@mui/material'
import { useEffect, useRef, useState } from 'react'

import { useDownload } from '../../../api/hooks.ts'
import { usePages } from '../../../api/pages.ts'
import type { DataOf, SupplyImportRun } from '../../../api/types.ts'
import { dateTime } from '../../../i18n/format.ts'
import { texts, useLocale, useTexts } from '../../../i18n/words.ts'
import { ownerQuery } from '../../../session/session.ts'
import { ActionDialog } from '../../../ui/ActionDialog.tsx'
import { MoreButton } from '../../../ui/Answer.tsx'
import { CheckField, ChoiceField } from '../../../ui/fields.tsx'
import { Checked, FileCard, Imported, Recheck, Step, useImport } from '../../../ui/imports.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Section } from '../../../ui/parts.tsx'
import type { Form } from '../../../ui/use-form.tsx'

const words = texts({
  en: {
    title: 'Import supplies',
    fileHelp:
      'Excel (.xlsx) or CSV with a header. Rows with a known number change that supply; all others create one. The stock is booked as counted, and more rows with the same number add places.',
    template: 'Download an empty template',
    columns: 'Match the columns',
    ignore: 'Ignore',
    targets: {
      name: 'Name',
      supplyNo: 'Number',
      kind: 'Kind',
      category: 'Category',
      unit: 'Unit',
      stock: 'Stock',
      minimum: 'Minimum',
      price: 'Price of one',
      supplier: 'Supplier',
      location: 'Location',
      remark: 'Remark',
    },
    mode: 'Mode',
    modes: { UPSERT: 'Change known supplies and create others', CREATE: 'Only create', UPDATE: 'Only change' },
    clearEmpty: 'Empty cells clear values',
    roundPrices: 'Round prices to two decimals',
    fix: 'Correct these cells in your file and choose it again, or change the columns above. As long as there are errors, nothing is imported.',
    show: 'Show the supplies',
    runs: 'Earlier imports',
    counts: (created: number, updated: number) => `${created} new, ${updated} changed`,
    undo: 'Undo',
    undone: (time: string) => `undone ${time}`,
    question: (file: string) => `Undo the import of “${file}”?`,
    text: 'Changed supplies get their former values and stock back, and new ones are deleted. Those that were changed since stay as they are.',
    done: 'The import was undone.',
  },
  zh: {
    title: '导入物料',
    fileHelp:
      '支持 Excel（.xlsx）或 CSV，须有表头。编号已存在的行会修改该物料，其余行会新建。库存按盘点登记，编号相同的多行表示多个位置。',
    template: '下载空白模板',
    columns: '匹配列',
    ignore: '忽略',
    targets: {
      name: '名称',
      supplyNo: '编号',
      kind: '类型',
      category: '分类',
      unit: '单位',
      stock: '库存',
      minimum: '最低库存',
      price: '单价',
      supplier: '供应商',
      location: '位置',
      remark: '备注',
    },
    mode: '导入方式',
    modes: { UPSERT: '修改已有物料并新建其余', CREATE: '仅新建', UPDATE: '仅修改' },
    clearEmpty: '空单元格清除原值',
    roundPrices: '价格四舍五入到两位小数',
    fix: '请在文件中更正这些单元格，然后重新选择文件，或在上方修改列。有错误时不会导入任何数据。',
    show: '查看物料',
    runs: '导入记录',
    counts: (created: number, updated: number) => `新建 ${created}，修改 ${updated}`,
    undo: '撤销',
    undone: (time: string) => `已于 ${time} 撤销`,
    question: (file: string) => `撤销“${file}”的导入？`,
    text: '修改过的物料恢复原值和库存，新建的物料将被删除。之后有变动的保持不变。',
    done: '导入已撤销。',
  },
})

type Result = DataOf<'supplies.import'>

interface Values {
  readonly file: File | undefined
  /** Columns that the user has chosen; the server finds the others by their names. */
  readonly mapping: Readonly<Record<string, string | null>>
  readonly mode: 'UPSERT' | 'CREATE' | 'UPDATE'
  readonly clearEmpty: boolean
  readonly roundPrices: boolean
}

const FIRST: Values = { file: undefined, mapping: {}, mode: 'UPSERT', clearEmpty: false, roundPrices: false }

function bodyOf({ file, mapping, mode, clearEmpty, roundPrices }: Values, isDry: boolean): FormData {
  const form = new FormData()
  form.set('dryRun', String(isDry))
  form.set('mapping', JSON.stringify(mapping))
  form.set('mode', mode)
  form.set('clearEmpty', String(clearEmpty))
  form.set('roundPrices', String(roundPrices))
  form.set('file', file!, file!.name)
  return form
}

export default function Import() {
  const t = useTexts(words)
  const lang = useLocale()
  const template = useDownload()
  const { form, answer, isDone, sent, choose, check, write, restart } = useImport('supplies.import', FIRST, {
    refreshes: ['supplies'],
    bodyOf,
  })
  const save = () =>
    template.mutate(['supplies.export', { query: { ...ownerQuery(), template: true, lang } }, 'supplies.xlsx'])
  return (
    <Page title={t.title} back="/assets/supplies">
      {isDone ? (
        <Imported result={answer} to="/assets/supplies" show={t.show} onAgain={restart} />
      ) : (
        <Stack spacing={2}>
          <FileCard
            help={t.fileHelp}
            accept=".xlsx,.xlsm,.csv,.txt"
            action={
              <Button startIcon={<Download />} loading={template.isPending} onClick={save}>
                {t.template}
              </Button>
            }
            file={form.values.file}
            sent={sent}
            error={answer === undefined ? form.error : null}
            onChoose={choose}
          />
          {answer !== undefined && (
            <>
              <ColumnsCard form={form} result={answer} onCheck={() => check()} />
              <Checked form={form} result={answer} fix={t.fix} preview={null} onImport={write} />
            </>
          )}
        </Stack>
      )}
      <Box sx={{ mt: 3 }}>
        <Runs />
      </Box>
    </Page>
  )
}

function ColumnsCard({ form, result, onCheck }: { form: Form<Values>; result: Result; onCheck: () => void }) {
  const t = useTexts(words)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const { mapping } = form.values
  const targets = Object.entries(t.targets).map(([id, name]) => ({ id, name }))
  return (
    <Card variant="outlined">
      <CardContent>
        <Step n={2} title={t.columns} ref={heading} />
        <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 220px), 1fr))' }}>
          {result.columns.map(({ header, key, samples }) => (
            <ChoiceField
              key={header}
              label={header}
              value={(header in mapping ? mapping[header] : key) ?? null}
              none={t.ignore}
              choices={targets}
              help={samples.join(', ')}
              onChange={(next) => form.set({ mapping: { ...mapping, [header]: next } })}
            />
          ))}
          <TextField {...form.choice('mode', t.modes, { label: t.mode })} />
        </Box>
        <Stack sx={{ mt: 1 }}>
          <CheckField {...form.check('clearEmpty', { label: t.clearEmpty })} isBox />
          <CheckField {...form.check('roundPrices', { label: t.roundPrices })} isBox />
        </Stack>
        <Recheck form={form} isChecked onCheck={onCheck} />
      </CardContent>
    </Card>
  )
}

function Runs() {
  const t = useTexts(words)
  const [undone, setUndone] = useState<SupplyImportRun>()
  const list = usePages('supplies.imports', { query: ownerQuery() })
  if (list.items === undefined || list.items.length === 0) return null
  return (
    <Section title={t.runs}>
      <Stack component="ul" spacing={1} aria-label={t.runs} sx={{ m: 0, p: 0, listStyle: 'none' }}>
        {list.items.map((run) => (
          <Stack key={run.id} component="li" direction="row" spacing={1} sx={{ alignItems: 'center' }}>
            <Box sx={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
              {run.fileName}: {t.counts(run.created, run.updated)}
              <Typography variant="body2" color="text.secondary">
                {run.userName}, {dateTime(run.createdAt)}
                {run.undoneAt !== null && ` · ${t.undone(dateTime(run.undoneAt))}`}
              </Typography>
            </Box>
            {run.undoableUntil !== null && <Button onClick={() => setUndone(run)}>{t.undo}</Button>}
          </Stack>
        ))}
      </Stack>
      <MoreButton shown={list.items.length} total={list.total} onMore={list.more} isLoading={list.isLoading} />
      {undone !== undefined && (
        <ActionDialog
          operation="supplies.undoImport"
          input={{ params: { id: undone.id }, body: {} }}
          title={t.question(undone.fileName)}
          text={t.text}
          action={t.undo}
          done={t.done}
          onClose={() => setUndone(undefined)}
        />
      )}
    </Section>
  )
}
