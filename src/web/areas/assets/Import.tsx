/** Imports a spreadsheet of assets: choose the file, match its columns, check, import. Nothing is written before the last step. */

import { Download, History } from '@mui/icons-material'
import { Alert, Button, Card, CardContent, Stack, Typography } from '@mui/material'
import { useEffect, useRef } from 'react'
import { Link } from 'react-router'

import { useDownload } from '../../api/hooks.ts'
import type { AssetImportResult } from '../../api/types.ts'
import { timeZone } from '../../i18n/format.ts'
import { texts, useLocale, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useSession } from '../../session/session.ts'
import { Columns, Preview, type Targets } from '../../ui/import-columns.tsx'
import { Checked, FileCard, Recheck, Step, useImport } from '../../ui/imports.tsx'
import { Page } from '../../ui/Page.tsx'
import type { Form } from '../../ui/use-form.tsx'
import { bodyOf, FIRST, type ImportValues } from './import-values.ts'
import { ImportJob } from './ImportJob.tsx'
import { SavedMapping, SaveMapping } from './ImportMapping.tsx'
import { AssetOptions, useTargets } from './ImportParts.tsx'
import { EncodingNotice, FirstRows, Warnings } from './ImportReading.tsx'
import { UnknownWords } from './ImportWords.tsx'
import { AssetTabs } from './parts.tsx'

const words = texts({
  en: {
    options: 'Options',
    title: 'Import assets',
    fileHelp:
      'Excel (.xlsx) or CSV with a header, which may have titles above it. Rows with a known asset number change that asset; all others create one.',
    template: 'Download an empty template',
    columns: 'Match the columns',
    fix: 'Correct these cells in your file and choose it again, or change columns and options above. As long as there are errors, nothing is imported.',
    noPlaces: (header: string) =>
      `Only assets of an organization have a location. Ignore the column “${header}”, or work for the organization first.`,
    ignore: 'Ignore the column',
    show: 'Show the assets',
    history: 'Earlier imports, undo and saved mappings',
    assets: (n: number) => (n === 1 ? 'Import 1 asset' : `Import ${n} assets`),
  },
  zh: {
    options: '选项',
    title: '导入资产',
    fileHelp: '支持 Excel（.xlsx）或 CSV，须有表头，表头上方可以有标题。编号已存在的行会修改该资产，其余行会新建资产。',
    template: '下载空白模板',
    columns: '匹配列',
    fix: '请在文件中更正这些单元格，然后重新选择文件，或在上方修改列和选项。有错误时不会导入任何数据。',
    noPlaces: (header: string) => `只有组织的资产可以设置位置。请忽略“${header}”列，或先切换到组织再导入。`,
    ignore: '忽略此列',
    show: '查看资产',
    history: '导入记录、撤销与保存的映射',
    assets: (n: number) => `导入 ${n} 项资产`,
  },
})

export default function Import() {
  const t = useTexts(words)
  const targets = useTargets()
  const { form, answer, sent, choose, check, write, restart } = useImport('assets.import', FIRST, {
    // When the import is over.
    refreshes: [],
    bodyOf: (values, isDry) => bodyOf(values, 'ASSET', isDry),
  })
  if (answer?.jobId !== undefined)
    return (
      <Page title={t.title}>
        <AssetTabs />
        <ImportJob
          operation="assets.importJob"
          jobId={answer.jobId}
          refreshes={['assets.list', 'assets.map', 'assetCategories', 'locations']}
          to="/assets"
          show={t.show}
          onAgain={restart}
        />
      </Page>
    )
  const result = answer as AssetImportResult | undefined
  return (
    <Page title={t.title}>
      <AssetTabs />
      <Stack spacing={2}>
        <FileCard
          help={t.fileHelp}
          accept=".xlsx,.xlsm,.csv,.txt"
          action={
            <>
              <TemplateButton />
              <Button component={Link} to="/assets/imports" startIcon={<History />}>
                {t.history}
              </Button>
            </>
          }
          file={form.values.file}
          sent={sent}
          error={result === undefined ? form.error : null}
          // The sheet, header and encoding belong to the file before. A corrected file has the same columns.
          onChoose={(file) => choose(file, { sheet: '', headerRow: null, headerRows: null, encoding: null })}
        />
        {result !== undefined && (
          <>
            <ColumnsCard form={form} check={result} targets={targets} onCheck={check} />
            <Checked
              form={form}
              result={result}
              fix={t.fix}
              {...(form.values.splitQuantity && { action: t.assets(result.created + result.updated) })}
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
    </Page>
  )
}

function TemplateButton() {
  const t = useTexts(words)
  const lang = useLocale()
  const template = useDownload()
  const save = () =>
    template.mutate([
      'assets.export',
      { query: { ...ownerQuery(), template: true, lang, tz: timeZone() } },
      'assets.xlsx',
    ])
  return (
    <Button startIcon={<Download />} loading={template.isPending} onClick={save}>
      {t.template}
    </Button>
  )
}

interface CheckProps {
  form: Form<ImportValues>
  check: AssetImportResult
  targets: Targets
  onCheck: (part: Partial<ImportValues>) => void
}

function ColumnsCard({ form, check, targets, onCheck }: CheckProps) {
  const t = useTexts(words)
  const { workspace } = useSession()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const placeColumn = check.columns.find(
    ({ header, key }) => key === 'location' && check.errors.some(({ column }) => column === header),
  )?.header
  const ignore = (header: string) => onCheck({ mapping: { ...form.values.mapping, [header]: null } })
  return (
    <Card variant="outlined">
      <CardContent>
        <Step n={2} title={t.columns} ref={heading} />
        <SavedMapping kind="ASSET" check={check} form={form} onUse={onCheck} />
        <EncodingNotice
          result={check}
          file={form.values.file}
          isBusy={form.isBusy}
          onChoose={(encoding) => onCheck({ encoding })}
        />
        <FirstRows
          result={check}
          isBusy={form.isBusy}
          onChoose={(headerRow) => onCheck({ headerRow, headerRows: null })}
        />
        <Columns
          columns={check.columns}
          targets={targets}
          mapping={form.values.mapping}
          onChange={(mapping) => form.set({ mapping })}
        />
        {workspace === null && placeColumn !== undefined && (
          <Alert
            severity="warning"
            sx={{ mt: 2 }}
            action={
              <Button color="inherit" disabled={form.isBusy} onClick={() => ignore(placeColumn)}>
                {t.ignore}
              </Button>
            }
          >
            {t.noPlaces(placeColumn)}
          </Alert>
        )}
        <UnknownWords result={check} maps={form.values.maps} onChange={(maps) => form.set({ maps })} />
        <Typography variant="h3" sx={{ mt: 3, mb: 2 }}>
          {t.options}
        </Typography>
        <AssetOptions form={form} check={check} />
        <SaveMapping kind="ASSET" check={check} form={form} />
        <Recheck form={form} isChecked onCheck={() => onCheck({})} />
      </CardContent>
    </Card>
  )
}
