/** Imports links from another service, or changes many codes at once: choose the file, check, import. Nothing is written before the last step. */

import { CheckCircle, TaskAlt } from '@mui/icons-material'
import {
  Alert,
  Box,
  Button,
  Card,
  CardContent,
  Stack,
  Table,
  TableBody,
  TableCell,
  TableContainer,
  TableHead,
  TableRow,
  TextField,
  Typography,
} from '@mui/material'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'

import { upload } from '../../api/client.ts'
import type { QrCodeImportResult } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery } from '../../session/session.ts'
import { ErrorNotice } from '../../ui/Answer.tsx'
import { CheckField, ChoiceField } from '../../ui/fields.tsx'
import { Counts, Errors, FileCard, importWords } from '../../ui/imports.tsx'
import { Page } from '../../ui/Page.tsx'
import { type Form, useForm } from '../../ui/use-form.tsx'
import { FolderField } from './FolderField.tsx'

const words = texts({
  en: {
    ...importWords.en,
    title: 'Import links',
    help: 'The export of Bitly, Dub or Shlink, an Excel table (.xlsx) or CSV with a header row, or JSON. A column such as “url” or “target” says where each code leads.',
    prints:
      'Prints that hold bit.ly or dub.sh go on leading there. Prints with your own short domain come along as soon as that domain points to this server.',
    mode: 'Rows',
    modes: {
      CREATE: 'create new codes',
      UPDATE: 'change codes that exist',
      UPSERT: 'change codes that exist and create the others',
    },
    keepSlugs: 'Keep the last part of each link; one that is taken is an error',
    clearEmpty: 'Empty cells clear the value of codes that exist',
    ignored: 'Columns that are left out',
    ignore: 'Leave out',
    source: (name: string) => `Read as: ${name}`,
    fix: 'Correct these cells in your file and choose it again, or change the options above. As long as there are errors, nothing is imported.',
    show: 'Show the codes',
    preview: 'First rows',
    row: 'Row',
    action: 'Result',
    actions: { CREATE: 'New', UPDATE: 'Changed', UNCHANGED: 'Unchanged' },
    name: 'Name',
    target: 'Target',
    slug: 'Last part of the link',
    drawn: 'drawn by lot',
    columns: {
      target: 'Target',
      slug: 'Last part of the link',
      name: 'Name',
      tags: 'Tags',
      remark: 'Remark',
      createdAt: 'Created',
      expiresAt: 'Expires',
      maxScans: 'Most scans',
      fallbackUrl: 'Address afterwards',
      earlierScans: 'Scans so far',
    },
    sources: { TESSERA: 'our own export', BITLY: 'Bitly', DUB: 'Dub', SHLINK: 'Shlink', CSV: 'a table' },
  },
  zh: {
    ...importWords.zh,
    title: '导入链接',
    help: 'Bitly、Dub 或 Shlink 的导出文件、首行为表头的 Excel（.xlsx）或 CSV 表格，或 JSON。“url”或“target”等列为每个二维码的目标。',
    prints:
      '印有 bit.ly 或 dub.sh 的二维码仍会打开原来的服务。使用你自己短域名的印刷品，在该域名指向本服务器后即可继续使用。',
    mode: '各行',
    modes: { CREATE: '新建二维码', UPDATE: '修改已有的二维码', UPSERT: '修改已有的，其余新建' },
    keepSlugs: '保留每个短链的最后一段；已被占用时视为错误',
    clearEmpty: '空单元格清除已有二维码的值',
    ignored: '未导入的列',
    ignore: '不导入',
    source: (name: string) => `识别为：${name}`,
    fix: '请在文件中更正这些单元格，然后重新选择文件，或修改上方选项。有错误时不会导入任何数据。',
    show: '查看二维码',
    preview: '前几行',
    row: '行',
    action: '结果',
    actions: { CREATE: '新建', UPDATE: '修改', UNCHANGED: '不变' },
    name: '名称',
    target: '目标',
    slug: '短链最后一段',
    drawn: '随机生成',
    columns: {
      target: '目标',
      slug: '短链最后一段',
      name: '名称',
      tags: '标签',
      remark: '备注',
      createdAt: '创建时间',
      expiresAt: '过期时间',
      maxScans: '扫码次数上限',
      fallbackUrl: '失效后的地址',
      earlierScans: '此前的扫码次数',
    },
    sources: { TESSERA: '本系统的导出文件', BITLY: 'Bitly', DUB: 'Dub', SHLINK: 'Shlink', CSV: '表格' },
  },
})

interface Values {
  readonly file: File | undefined
  readonly mode: 'CREATE' | 'UPDATE' | 'UPSERT'
  readonly keepSlugs: boolean
  readonly clearEmpty: boolean
  readonly categoryId: number | null
  /** Columns that the user has chosen; the server finds the others by their names. */
  readonly mapping: Readonly<Record<string, string | null>>
}

const FIRST: Values = {
  file: undefined,
  mode: 'CREATE',
  keepSlugs: true,
  clearEmpty: false,
  categoryId: null,
  mapping: {},
}

function bodyOf(values: Values, isDry: boolean): FormData {
  const form = new FormData()
  form.set('mode', values.mode)
  form.set('keepSlugs', String(values.keepSlugs))
  form.set('clearEmpty', String(values.clearEmpty))
  form.set('dryRun', String(isDry))
  form.set('mapping', JSON.stringify(values.mapping))
  if (values.categoryId !== null) form.set('categoryId', String(values.categoryId))
  form.set('file', values.file!, values.file!.name)
  return form
}

export default function Import() {
  const t = useTexts(words)
  const [check, setCheck] = useState<QrCodeImportResult>()
  const [isDone, setIsDone] = useState(false)
  const [sent, setSent] = useState(0)
  const isDry = useRef(true)
  const form: Form<Values> = useForm('qrCodes.import', FIRST, {
    refreshes: ['qrCodes', 'categories'],
    paths: { file: [], mapping: [] },
    input: (values) => ({ query: ownerQuery(), body: bodyOf(values, isDry.current) }),
    async send({ query = {}, body }) {
      setSent(0)
      return (await upload('qrCodes.import', { query, form: body, onProgress: setSent })) as QrCodeImportResult
    },
    onDone(data) {
      setCheck(data)
      setIsDone(!isDry.current)
      form.reset(form.values)
    },
  })
  const send = (dry: boolean, part: Partial<Values> = {}) => {
    isDry.current = dry
    form.set(part)
    form.submit(undefined, part)
  }
  const choose = (file: File | undefined) => {
    // A file can be dropped while another one is being checked.
    if (file === undefined || form.isBusy) return
    setCheck(undefined)
    send(true, { file })
  }
  const restart = () => {
    form.reset({ ...form.values, file: undefined, mapping: {} })
    setCheck(undefined)
    setIsDone(false)
  }
  return (
    <Page title={t.title}>
      {isDone && check !== undefined ? (
        <Done result={check} onAgain={restart} />
      ) : (
        <Stack spacing={2}>
          <FileCard
            help={t.help}
            accept=".xlsx,.xlsm,.csv,.txt,.json"
            file={form.values.file}
            sent={form.isBusy ? sent : undefined}
            error={check === undefined ? form.error : null}
            onChoose={choose}
          />
          <Alert severity="info">{t.prints}</Alert>
          {form.values.file !== undefined && (
            <OptionsCard form={form} ignored={check?.ignoredColumns ?? []} onCheck={() => send(true)} />
          )}
          {check !== undefined && <ResultCard form={form} check={check} onImport={() => send(false)} />}
        </Stack>
      )}
    </Page>
  )
}

interface OptionsProps {
  form: Form<Values>
  ignored: readonly string[]
  onCheck: () => void
}

function OptionsCard({ form, ignored, onCheck }: OptionsProps) {
  const t = useTexts(words)
  const { mapping } = form.values
  const choices = Object.entries(t.columns).map(([id, name]) => ({ id, name }))
  const columns = [...new Set([...ignored, ...Object.keys(mapping)])]
  return (
    <Card variant="outlined">
      <CardContent>
        <Typography variant="h2" sx={{ mb: 2 }}>
          2. {t.options}
        </Typography>
        <Stack spacing={2}>
          <TextField {...form.choice('mode', t.modes, { label: t.mode })} />
          <FolderField {...form.pick('categoryId')} />
          <Stack>
            <CheckField {...form.check('keepSlugs', { label: t.keepSlugs })} isBox />
            <CheckField {...form.check('clearEmpty', { label: t.clearEmpty })} isBox />
          </Stack>
          {columns.length > 0 && (
            <Box>
              <Typography variant="h3" sx={{ mb: 2 }}>
                {t.ignored}
              </Typography>
              <Box
                sx={{
                  display: 'grid',
                  gap: 2,
                  gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 220px), 1fr))',
                }}
              >
                {columns.map((header) => (
                  <ChoiceField
                    key={header}
                    label={header}
                    value={mapping[header] ?? null}
                    none={t.ignore}
                    choices={choices}
                    onChange={(next) => form.set({ mapping: { ...mapping, [header]: next } })}
                  />
                ))}
              </Box>
            </Box>
          )}
          {form.isChanged && (
            <Alert
              severity="info"
              action={
                <Button color="inherit" loading={form.isBusy} onClick={onCheck}>
                  {t.recheck}
                </Button>
              }
            >
              {t.changed}
            </Alert>
          )}
        </Stack>
      </CardContent>
    </Card>
  )
}

interface ResultProps {
  form: Form<Values>
  check: QrCodeImportResult
  onImport: () => void
}

function ResultCard({ form, check, onImport }: ResultProps) {
  const t = useTexts(words)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const hasErrors = check.errors.length > 0
  return (
    <Card variant="outlined">
      <CardContent>
        <Typography variant="h2" ref={heading} tabIndex={-1} sx={{ mb: 2, outline: 0 }}>
          3. {t.result}
        </Typography>
        <Stack spacing={2} sx={{ alignItems: 'flex-start', '& > *': { maxWidth: '100%' } }}>
          <Typography color="text.secondary">{t.source(t.sources[check.source])}</Typography>
          <Counts result={check} />
          {hasErrors && <Alert severity="warning">{t.fix}</Alert>}
          <Errors result={check} />
          <Preview rows={check.preview} />
          <Typography variant="body2" color="text.secondary">
            {t.nothingYet}
          </Typography>
          {form.error !== null && <ErrorNotice error={form.error} />}
          <Button
            variant="contained"
            startIcon={<CheckCircle />}
            loading={form.isBusy}
            disabled={form.isChanged || hasErrors || check.created + check.updated === 0}
            onClick={onImport}
          >
            {t.import(check.created + check.updated)}
          </Button>
        </Stack>
      </CardContent>
    </Card>
  )
}

function Preview({ rows }: { rows: QrCodeImportResult['preview'] }) {
  const t = useTexts(words)
  if (rows.length === 0) return null
  return (
    <Box sx={{ width: '100%' }}>
      <Typography variant="h3">{t.preview}</Typography>
      <TableContainer tabIndex={0} component="section" aria-label={t.preview}>
        <Table size="small" sx={{ whiteSpace: 'nowrap' }}>
          <TableHead>
            <TableRow>
              {[t.row, t.action, t.name, t.target, t.slug].map((title) => (
                <TableCell key={title}>{title}</TableCell>
              ))}
            </TableRow>
          </TableHead>
          <TableBody>
            {rows.map(({ row, action, name, target, slug }) => (
              <TableRow key={row}>
                <TableCell>{row}</TableCell>
                <TableCell>{t.actions[action]}</TableCell>
                <TableCell>{name}</TableCell>
                <TableCell sx={{ maxWidth: 320, overflow: 'hidden', textOverflow: 'ellipsis' }}>{target}</TableCell>
                <TableCell>{slug ?? (action === 'CREATE' ? t.drawn : '')}</TableCell>
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </TableContainer>
    </Box>
  )
}

function Done({ result, onAgain }: { result: QrCodeImportResult; onAgain: () => void }) {
  const t = useTexts(words)
  return (
    <Card variant="outlined">
      <CardContent>
        <Stack spacing={2} sx={{ alignItems: 'flex-start' }} aria-live="polite">
          <Stack direction="row" spacing={1} sx={{ alignItems: 'center' }}>
            <TaskAlt color="success" />
            <Typography variant="h2">{t.done}</Typography>
          </Stack>
          <Counts result={result} />
          <Stack direction="row" spacing={1}>
            <Button component={Link} to="/codes" variant="contained">
              {t.show}
            </Button>
            <Button onClick={onAgain}>{t.again}</Button>
          </Stack>
        </Stack>
      </CardContent>
    </Card>
  )
}
