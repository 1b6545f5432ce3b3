/** Imports a spreadsheet of assets: choose the file, match its columns, check, import. Nothing is written before the last step. */

import { CheckCircle, Download, TaskAlt } from '@mui/icons-material'
import { Alert, Box, Button, Card, CardContent, LinearProgress, Stack, Typography } from '@mui/material'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'

import { upload } from '../../api/client.ts'
import { useCall, useDownload, useRefresh } from '../../api/hooks.ts'
import type { AssetImportAnswer, AssetImportResult } from '../../api/types.ts'
import { timeZone } from '../../i18n/format.ts'
import { texts, useLocale, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useSession } from '../../session/session.ts'
import { ErrorNotice } from '../../ui/Answer.tsx'
import { Counts, Errors, FileCard, importWords } from '../../ui/imports.tsx'
import { Page } from '../../ui/Page.tsx'
import { type Form, useForm } from '../../ui/use-form.tsx'
import { Columns, type ImportValues, Options, Preview } from './ImportParts.tsx'
import { AssetTabs } from './parts.tsx'

const words = texts({
  en: {
    ...importWords.en,
    title: 'Import assets',
    fileHelp:
      'Excel (.xlsx) or CSV with a header row. Rows with a known asset number change that asset; all others create one.',
    template: 'Download an empty template',
    columns: 'Match the columns',
    fix: 'Correct these cells in your file and choose it again, or change columns and options above. As long as there are errors, nothing is imported.',
    noPlaces: (header: string) =>
      `Only assets of an organization have a location. Ignore the column “${header}”, or work for the organization first.`,
    ignore: 'Ignore the column',
    importing: (done: number, all: number) => (all === 0 ? 'Importing' : `${done} of ${all} rows`),
    failed: 'The import was refused and nothing was written.',
    show: 'Show the assets',
  },
  zh: {
    ...importWords.zh,
    title: '导入资产',
    fileHelp: '支持 Excel（.xlsx）或 CSV，第一行为表头。编号已存在的行会修改该资产，其余行会新建资产。',
    template: '下载空白模板',
    columns: '匹配列',
    fix: '请在文件中更正这些单元格，然后重新选择文件，或在上方修改列和选项。有错误时不会导入任何数据。',
    noPlaces: (header: string) => `只有组织的资产可以设置位置。请忽略“${header}”列，或先切换到组织再导入。`,
    ignore: '忽略此列',
    importing: (done: number, all: number) => (all === 0 ? '正在导入' : `${done} / ${all} 行`),
    failed: '导入被拒绝，没有写入任何数据。',
    show: '查看资产',
  },
})

const FIRST: ImportValues = {
  file: undefined,
  mapping: {},
  mode: 'UPSERT',
  dateOrder: 'YMD',
  sheet: '',
  categoryId: null,
  clearEmpty: false,
  createCategories: false,
}

export default function Import() {
  const t = useTexts(words)
  /** That of the check, or the number of the import. */
  const [answer, setAnswer] = useState<AssetImportAnswer>()
  const [sent, setSent] = useState(0)
  const isDry = useRef(true)
  const form: Form<ImportValues> = useForm('assets.import', FIRST, {
    // When the import is over.
    refreshes: [],
    paths: { file: [], mapping: [] },
    input: (values) => ({ query: ownerQuery(), body: bodyOf(values, isDry.current) }),
    async send({ query = {}, body }) {
      setSent(0)
      return (await upload('assets.import', { query, form: body, onProgress: setSent })) as AssetImportAnswer
    },
    onDone(data) {
      setAnswer(data)
      form.reset(form.values)
    },
  })
  const send = (dry: boolean, part: Partial<ImportValues> = {}) => {
    isDry.current = dry
    form.set(part)
    form.submit(undefined, part)
  }
  const choose = (file: File | undefined) => {
    // A file can be dropped while another one is being checked.
    if (file === undefined || form.isBusy) return
    setAnswer(undefined)
    // Sheets belong to the file before. A corrected file has the same columns.
    send(true, { file, sheet: '' })
  }
  const restart = () => {
    form.reset({ ...form.values, file: undefined, mapping: {} })
    setAnswer(undefined)
  }
  if (answer?.jobId !== undefined) return <Job jobId={answer.jobId} onAgain={restart} />
  const check = answer as AssetImportResult | undefined
  return (
    <Page title={t.title}>
      <AssetTabs />
      <Stack spacing={2}>
        <FileCard
          help={t.fileHelp}
          accept=".xlsx,.xlsm,.csv,.txt"
          action={<TemplateButton />}
          file={form.values.file}
          sent={form.isBusy ? sent : undefined}
          error={check === undefined ? form.error : null}
          onChoose={choose}
        />
        {check !== undefined && (
          <>
            <ColumnsCard form={form} check={check} onCheck={(part) => send(true, part)} />
            <ResultCard form={form} check={check} onImport={() => send(false)} />
          </>
        )}
      </Stack>
    </Page>
  )
}

function bodyOf(values: ImportValues, isDry: boolean): FormData {
  const form = new FormData()
  form.set(isDry ? 'dryRun' : 'async', 'true')
  form.set('mapping', JSON.stringify(values.mapping))
  form.set('mode', values.mode)
  form.set('dateOrder', values.dateOrder)
  if (values.sheet !== '') form.set('sheet', values.sheet)
  if (values.categoryId !== null) form.set('categoryId', String(values.categoryId))
  if (values.clearEmpty) form.set('clearEmpty', 'true')
  if (values.createCategories) form.set('createCategories', 'true')
  form.set('file', values.file!, values.file!.name)
  return form
}

/** Follows an import until it is over. */
function Job({ jobId, onAgain }: { jobId: string; onAgain: () => void }) {
  const t = useTexts(words)
  const refresh = useRefresh()
  const job = useCall(
    'assets.importJob',
    { params: { jobId } },
    { every: 700, isLast: ({ state }) => state === 'DONE' || state === 'FAILED' },
  )
  const state = job.data?.state
  const isOver = state === 'DONE' || state === 'FAILED'
  useEffect(() => {
    if (isOver) void refresh('assets.list', 'assets.map', 'assetCategories')
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `refresh` is new in each render
  }, [isOver])
  return (
    <Page title={t.title}>
      <AssetTabs />
      <Card variant="outlined">
        <CardContent>
          {job.error !== null && job.data === undefined ? (
            <ErrorNotice error={job.error} onRetry={() => void job.refetch()} />
          ) : !isOver ? (
            <Box aria-live="polite">
              <Typography sx={{ mb: 1 }}>{t.importing(job.data?.processed ?? 0, job.data?.total ?? 0)}</Typography>
              <LinearProgress
                aria-label={t.importing(0, 0)}
                variant={job.data?.total ? 'determinate' : 'indeterminate'}
                value={job.data?.total ? (100 * job.data.processed) / job.data.total : 0}
              />
            </Box>
          ) : (
            <Stack spacing={2} sx={{ alignItems: 'flex-start' }}>
              {state === 'DONE' ? (
                <Stack direction="row" spacing={1} sx={{ alignItems: 'center' }}>
                  <TaskAlt color="success" />
                  <Typography variant="h2">{t.done}</Typography>
                </Stack>
              ) : (
                <Alert severity="error">{t.failed}</Alert>
              )}
              {job.data?.result != null && (
                <>
                  <Counts result={job.data.result} />
                  <Errors result={job.data.result} />
                </>
              )}
              <Stack direction="row" spacing={1}>
                <Button component={Link} to="/assets" variant="contained">
                  {t.show}
                </Button>
                <Button onClick={onAgain}>{t.again}</Button>
              </Stack>
            </Stack>
          )}
        </CardContent>
      </Card>
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
}

function ColumnsCard({ form, check, onCheck }: CheckProps & { onCheck: (part: Partial<ImportValues>) => void }) {
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
        <Typography variant="h2" ref={heading} tabIndex={-1} sx={{ mb: 2, outline: 0 }}>
          2. {t.columns}
        </Typography>
        <Columns columns={check.columns} mapping={form.values.mapping} onChange={(mapping) => form.set({ mapping })} />
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
        <Typography variant="h3" sx={{ mt: 3, mb: 2 }}>
          {t.options}
        </Typography>
        <Options form={form} />
        {form.isChanged && (
          <Alert
            severity="info"
            sx={{ mt: 2 }}
            action={
              <Button color="inherit" loading={form.isBusy} onClick={() => onCheck({})}>
                {t.recheck}
              </Button>
            }
          >
            {t.changed}
          </Alert>
        )}
        {form.error !== null && <ErrorNotice error={form.error} />}
      </CardContent>
    </Card>
  )
}

function ResultCard({ form, check, onImport }: CheckProps & { onImport: () => void }) {
  const t = useTexts(words)
  return (
    <Card variant="outlined">
      <CardContent>
        <Typography variant="h2" sx={{ mb: 2 }}>
          3. {t.result}
        </Typography>
        <Stack spacing={2} sx={{ alignItems: 'flex-start', '& > *': { maxWidth: '100%' } }}>
          <Counts result={check} />
          {check.errorCount > 0 && <Alert severity="warning">{t.fix}</Alert>}
          <Errors result={check} />
          <Preview result={check} />
          <Typography variant="body2" color="text.secondary">
            {t.nothingYet}
          </Typography>
          <Button
            variant="contained"
            startIcon={<CheckCircle />}
            loading={form.isBusy}
            disabled={form.isChanged || check.errorCount > 0 || check.total === 0}
            onClick={onImport}
          >
            {t.import(check.created + check.updated)}
          </Button>
        </Stack>
      </CardContent>
    </Card>
  )
}
