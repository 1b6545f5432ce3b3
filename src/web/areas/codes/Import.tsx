/** Imports links from another service, or changes many codes at once: choose the file, check, import. Nothing is written before the last step. */

import {
  Alert,
  Box,
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

import type { QrCodeImportResult } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { CheckField, ChoiceField } from '../../ui/fields.tsx'
import { Checked, FileCard, Imported, Recheck, Step, useImport } from '../../ui/imports.tsx'
import { Page } from '../../ui/Page.tsx'
import type { Form } from '../../ui/use-form.tsx'
import { FolderField } from './FolderField.tsx'

const words = texts({
  en: {
    options: 'Options',
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
    options: '选项',
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
  const { form, answer, isDone, sent, choose, check, write, restart } = useImport('qrCodes.import', FIRST, {
    refreshes: ['qrCodes', 'categories'],
    bodyOf,
  })
  return (
    <Page title={t.title} back="/codes">
      {isDone ? (
        <Imported result={answer} to="/codes" show={t.show} onAgain={restart} />
      ) : (
        <Stack spacing={2}>
          <FileCard
            help={t.help}
            accept=".xlsx,.xlsm,.csv,.txt,.json"
            file={form.values.file}
            sent={sent}
            error={answer === undefined ? form.error : null}
            onChoose={choose}
          />
          <Alert severity="info">{t.prints}</Alert>
          {form.values.file !== undefined && (
            <OptionsCard
              form={form}
              ignored={answer?.ignoredColumns ?? []}
              isChecked={answer !== undefined}
              onCheck={check}
            />
          )}
          {answer !== undefined && (
            <Checked
              form={form}
              result={answer}
              source={t.source(t.sources[answer.source])}
              preview={<Preview rows={answer.preview} />}
              takesFocus
              onImport={write}
            />
          )}
        </Stack>
      )}
    </Page>
  )
}

interface OptionsProps {
  form: Form<Values>
  ignored: readonly string[]
  isChecked: boolean
  onCheck: () => void
}

function OptionsCard({ form, ignored, isChecked, onCheck }: OptionsProps) {
  const t = useTexts(words)
  const { mapping } = form.values
  const choices = Object.entries(t.columns).map(([id, name]) => ({ id, name }))
  const columns = [...new Set([...ignored, ...Object.keys(mapping)])]
  return (
    <Card variant="outlined">
      <CardContent>
        <Step n={2} title={t.options} />
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
          <Recheck form={form} isChecked={isChecked} onCheck={onCheck} />
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
