/** Imports a spreadsheet of supplies, and undoes imports: choose the file, match its columns, check, import. */

import { Download } from '@mui/icons-material'
import { Box, Button, Card, CardContent, Stack, Typography } from '@mui/material'
import { useEffect, useRef, useState } from 'react'

import { useDownload } from '../../../api/hooks.ts'
import { usePages } from '../../../api/pages.ts'
import type { SupplyImportResult, SupplyImportRun } from '../../../api/types.ts'
import { dateTime, labelled } from '../../../i18n/format.ts'
import { texts, useLocale, useTexts } from '../../../i18n/words.ts'
import { ownerQuery } from '../../../session/session.ts'
import { ActionDialog } from '../../../ui/ActionDialog.tsx'
import { MoreButton } from '../../../ui/Answer.tsx'
import { Columns, Preview, type Targets } from '../../../ui/import-columns.tsx'
import { Checked, FileCard, Recheck, Step, useImport } from '../../../ui/imports.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Section } from '../../../ui/parts.tsx'
import type { Form } from '../../../ui/use-form.tsx'
import { bodyOf, FIRST, type ImportValues } from '../import-values.ts'
import { ImportJob } from '../ImportJob.tsx'
import { SavedMapping, SaveMapping } from '../ImportMapping.tsx'
import { Options } from '../ImportParts.tsx'
import { EncodingNotice, FirstRows, Warnings } from '../ImportReading.tsx'
import { UnknownWords } from '../ImportWords.tsx'
import { SavedMappings } from '../SavedMappings.tsx'

const words = texts({
  en: {
    title: 'Import supplies',
    fileHelp:
      'Excel (.xlsx) or CSV with a header, which may have titles above it. Rows with a known number change that supply; all others create one. The stock is booked as counted, and more rows with the same number add places.',
    template: 'Download an empty template',
    columns: 'Match the columns',
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
    options: 'Options',
    fix: 'Correct these cells in your file and choose it again, or change columns and options above. As long as there are errors, nothing is imported.',
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
      '支持 Excel（.xlsx）或 CSV，须有表头，表头上方可以有标题。编号已存在的行会修改该物料，其余行会新建。库存按盘点登记，编号相同的多行表示多个位置。',
    template: '下载空白模板',
    columns: '匹配列',
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
    options: '选项',
    fix: '请在文件中更正这些单元格，然后重新选择文件，或在上方修改列和选项。有错误时不会导入任何数据。',
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

export default function Import() {
  const t = useTexts(words)
  const lang = useLocale()
  const targets = Object.entries(t.targets).map(([id, name]) => ({ id, name }))
  const template = useDownload()
  const { form, answer, sent, choose, check, write, restart } = useImport('supplies.import', FIRST, {
    // When the import is over.
    refreshes: [],
    bodyOf: (values, isDry) => bodyOf(values, 'SUPPLY', isDry),
  })
  const jobId = answer?.jobId
  const result = answer as SupplyImportResult | undefined
  const save = () =>
    template.mutate(['supplies.export', { query: { ...ownerQuery(), template: true, lang } }, 'supplies.xlsx'])
  return (
    <Page title={t.title} back="/assets/supplies">
      {jobId !== undefined ? (
        <ImportJob
          operation="supplies.importJob"
          jobId={jobId}
          refreshes={['supplies', 'assetCategories', 'locations']}
          to="/assets/supplies"
          show={t.show}
          onAgain={restart}
        />
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
            error={result === undefined ? form.error : null}
            // The sheet, header and encoding belong to the file before. A corrected file has the same columns.
            onChoose={(file) => choose(file, { sheet: '', headerRow: null, headerRows: null, encoding: null })}
          />
          {result !== undefined && (
            <>
              <ColumnsCard form={form} result={result} targets={targets} onCheck={check} />
              <Checked
                form={form}
                result={result}
                fix={t.fix}
                preview={
                  <>
                    <Warnings result={result} />
                    <Preview rows={result.preview} targets={targets} />
                  </>
                }
                onImport={write}
              />
            </>
          )}
        </Stack>
      )}
      <Box sx={{ mt: 3 }}>
        <Runs />
        <SavedMappings kind="SUPPLY" />
      </Box>
    </Page>
  )
}

interface ColumnsProps {
  form: Form<ImportValues>
  result: SupplyImportResult
  targets: Targets
  onCheck: (part: Partial<ImportValues>) => void
}

function ColumnsCard({ form, result, targets, onCheck }: ColumnsProps) {
  const t = useTexts(words)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <Card variant="outlined">
      <CardContent>
        <Step n={2} title={t.columns} ref={heading} />
        <SavedMapping kind="SUPPLY" check={result} form={form} onUse={onCheck} />
        <EncodingNotice
          result={result}
          file={form.values.file}
          isBusy={form.isBusy}
          onChoose={(encoding) => onCheck({ encoding })}
        />
        <FirstRows
          result={result}
          isBusy={form.isBusy}
          onChoose={(headerRow) => onCheck({ headerRow, headerRows: null })}
        />
        <Columns
          columns={result.columns}
          targets={targets}
          mapping={form.values.mapping}
          onChange={(mapping) => form.set({ mapping })}
        />
        <UnknownWords result={result} maps={form.values.maps} onChange={(maps) => form.set({ maps })} />
        <Typography variant="h3" sx={{ mt: 3, mb: 2 }}>
          {t.options}
        </Typography>
        <Options form={form} check={result} />
        <SaveMapping kind="SUPPLY" check={result} form={form} />
        <Recheck form={form} isChecked onCheck={() => onCheck({})} />
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
              {labelled(run.fileName, t.counts(run.created, run.updated))}
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
