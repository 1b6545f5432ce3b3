/** Imports a spreadsheet of supplies, and undoes imports: choose the file, match its columns, check, import. */

import { Download } from '@mui/icons-material'
import { Box, Button, Stack, Typography } from '@mui/material'
import { useState } from 'react'

import { useDownload } from '../../../api/hooks.ts'
import { usePages } from '../../../api/pages.ts'
import type { SupplyImportResult, SupplyImportRun } from '../../../api/types.ts'
import { dateTime, labelled } from '../../../i18n/format.ts'
import { texts, useLocale, useTexts } from '../../../i18n/words.ts'
import { ownerQuery } from '../../../session/session.ts'
import { ActionDialog } from '../../../ui/ActionDialog.tsx'
import { MoreButton } from '../../../ui/Answer.tsx'
import { useImport } from '../../../ui/imports.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Section } from '../../../ui/parts.tsx'
import { bodyOf, FIRST } from '../import-values.ts'
import { ImportJob } from '../ImportJob.tsx'
import { Options } from '../ImportParts.tsx'
import { ImportSteps } from '../ImportSteps.tsx'
import { SavedMappings } from '../SavedMappings.tsx'

const words = texts({
  en: {
    title: 'Import supplies',
    fileHelp:
      'Excel (.xlsx) or CSV with a header, which may have titles above it. Rows with a known number change that supply; all others create one. The stock is booked as counted, and more rows with the same number add places.',
    template: 'Download an empty template',
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
  const { answer, restart, ...steps } = useImport('supplies.import', FIRST, {
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
        <ImportSteps
          kind="SUPPLY"
          steps={steps}
          result={result}
          targets={targets}
          help={t.fileHelp}
          action={
            <Button startIcon={<Download />} loading={template.isPending} onClick={save}>
              {t.template}
            </Button>
          }
          options={result !== undefined && <Options form={steps.form} check={result} />}
        />
      )}
      <Box sx={{ mt: 3 }}>
        <Runs />
        <SavedMappings kind="SUPPLY" />
      </Box>
    </Page>
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
