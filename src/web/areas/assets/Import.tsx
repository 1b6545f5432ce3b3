/** Imports a spreadsheet of assets: choose the file, match its columns, check, import. Nothing is written before the last step. */

import { Download, History } from '@mui/icons-material'
import { Alert, Button } from '@mui/material'
import { Link } from 'react-router'

import { useDownload } from '../../api/hooks.ts'
import type { AssetImportResult } from '../../api/types.ts'
import { timeZone } from '../../i18n/format.ts'
import { texts, useLocale, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useSession } from '../../session/session.ts'
import { useImport } from '../../ui/imports.tsx'
import { Page } from '../../ui/Page.tsx'
import { bodyOf, FIRST } from './import-values.ts'
import { ImportJob } from './ImportJob.tsx'
import { AssetOptions, useTargets } from './ImportParts.tsx'
import { ImportSteps, type Steps } from './ImportSteps.tsx'
import { AssetTabs } from './parts.tsx'

const words = texts({
  en: {
    title: 'Import assets',
    fileHelp:
      'Excel (.xlsx) or CSV with a header, which may have titles above it. Rows with a known asset number change that asset; all others create one.',
    template: 'Download an empty template',
    noPlaces: (header: string) =>
      `Only assets of an organization have a location. Ignore the column “${header}”, or work for the organization first.`,
    ignore: 'Ignore the column',
    show: 'Show the assets',
    history: 'Earlier imports, undo and saved mappings',
    assets: (n: number) => (n === 1 ? 'Import 1 asset' : `Import ${n} assets`),
  },
  zh: {
    title: '导入资产',
    fileHelp: '支持 Excel（.xlsx）或 CSV，须有表头，表头上方可以有标题。编号已存在的行会修改该资产，其余行会新建资产。',
    template: '下载空白模板',
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
  const { answer, restart, ...steps } = useImport('assets.import', FIRST, {
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
      <ImportSteps
        kind="ASSET"
        steps={steps}
        result={result}
        targets={targets}
        help={t.fileHelp}
        action={
          <>
            <TemplateButton />
            <Button component={Link} to="/assets/imports" startIcon={<History />}>
              {t.history}
            </Button>
          </>
        }
        notice={result !== undefined && <NoPlaces steps={steps} result={result} />}
        options={result !== undefined && <AssetOptions form={steps.form} check={result} />}
        {...(result !== undefined &&
          steps.form.values.splitQuantity && { button: t.assets(result.created + result.updated) })}
      />
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

interface NoPlacesProps {
  steps: Steps
  result: AssetImportResult
}

/** Offers to ignore a column of places, which assets of a user do not have. */
function NoPlaces({ steps: { form, check }, result }: NoPlacesProps) {
  const t = useTexts(words)
  const { workspace } = useSession()
  const column = result.columns.find(
    ({ header, key }) => key === 'location' && result.errors.some(({ column }) => column === header),
  )?.header
  if (workspace !== null || column === undefined) return null
  return (
    <Alert
      severity="warning"
      sx={{ mt: 2 }}
      action={
        <Button
          color="inherit"
          disabled={form.isBusy}
          onClick={() => check({ mapping: { ...form.values.mapping, [column]: null } })}
        >
          {t.ignore}
        </Button>
      }
    >
      {t.noPlaces(column)}
    </Alert>
  )
}
