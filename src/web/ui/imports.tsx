/** Parts of the pages that import a file: its choice, the counts of the check, and its errors. */

import { UploadFile } from '@mui/icons-material'
import { Box, Card, CardContent, LinearProgress, Stack, Typography } from '@mui/material'
import type { ReactNode } from 'react'

import { bytes, number } from '../i18n/format.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { ErrorNotice } from './Answer.tsx'
import { FileButton } from './FileButton.tsx'

/** The words of a page that imports a file. */
export const importWords = {
  en: {
    options: 'Options',
    recheck: 'Check again',
    changed: 'You changed something. Check again before you import.',
    result: 'Result of the check',
    nothingYet: 'Nothing has been written yet.',
    import: (n: number) => (n === 1 ? 'Import 1 row' : `Import ${n} rows`),
    done: 'The import is finished',
    again: 'Import another file',
  },
  zh: {
    options: '选项',
    recheck: '重新检查',
    changed: '设置已更改，请重新检查后再导入。',
    result: '检查结果',
    nothingYet: '尚未写入任何数据。',
    import: (n: number) => `导入 ${n} 行`,
    done: '导入完成',
    again: '导入其他文件',
  },
}

const words = texts({
  en: {
    file: 'Choose the file',
    choose: 'Choose file',
    other: 'Choose another file',
    drop: 'or drop it here',
    checking: 'Checking the file',
    total: 'Rows',
    created: 'New',
    updated: 'Changed',
    unchanged: 'Unchanged',
    errors: 'Errors',
    errorsTitle: 'Errors',
    first: (shown: number, all: number) => `The first ${shown} of ${all} errors`,
    problem: (column: string, message: string) => `${column}: ${message}`,
    cells: (value: string, rows: readonly number[], all: number) =>
      `${value === '' ? '' : `“${value}”: `}${all === 1 ? 'row' : 'rows'} ${rows.join(', ')}${all > rows.length ? ` and ${all - rows.length} more` : ''}`,
    values: (n: number) => (n === 1 ? 'And 1 more value' : `And ${n} more values`),
  },
  zh: {
    file: '选择文件',
    choose: '选择文件',
    other: '选择其他文件',
    drop: '或拖放到此处',
    checking: '正在检查文件',
    total: '行数',
    created: '新建',
    updated: '修改',
    unchanged: '不变',
    errors: '错误',
    errorsTitle: '错误',
    first: (shown: number, all: number) => `共 ${all} 个错误，显示前 ${shown} 个`,
    problem: (column: string, message: string) => `${column}：${message}`,
    cells: (value: string, rows: readonly number[], all: number) =>
      `${value === '' ? '' : `“${value}”：`}第 ${rows.join('、')} 行${all > rows.length ? `等，共 ${all} 行` : ''}`,
    values: (n: number) => `还有 ${n} 个值`,
  },
})

export interface ImportErrors {
  readonly errors: readonly {
    readonly row: number
    readonly column: string | null
    readonly value?: string | null
    readonly message: string
  }[]
  /** All of them, if `errors` has only the first. */
  readonly errorCount?: number
}

export interface ImportCounts extends ImportErrors {
  readonly total: number
  readonly created: number
  readonly updated: number
  readonly unchanged: number
}

interface FileCardProps {
  /** The kinds of file that are accepted, in words. */
  help: string
  /** As the attribute of an input. */
  accept: string
  file: File | undefined
  /** The part that is sent, from 0 to 1; undefined while nothing is. */
  sent: number | undefined
  error: unknown
  /** Beside the button. */
  action?: ReactNode
  onChoose: (file: File | undefined) => void
}

/** The first step: the file, by a button or dropped. */
export function FileCard({ file, help, accept, sent, error, action, onChoose }: FileCardProps) {
  const t = useTexts(words)
  return (
    <Card
      variant="outlined"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        onChoose(event.dataTransfer.files[0])
      }}
    >
      <CardContent>
        <Typography variant="h2">1. {t.file}</Typography>
        <Typography color="text.secondary" sx={{ my: 1 }}>
          {help}
        </Typography>
        {file !== undefined && (
          <Typography sx={{ mb: 1, overflowWrap: 'anywhere' }}>
            {file.name} ({bytes(file.size)})
          </Typography>
        )}
        <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', alignItems: 'center' }}>
          <FileButton
            variant={file === undefined ? 'contained' : 'outlined'}
            startIcon={<UploadFile />}
            accept={accept}
            disabled={sent !== undefined}
            onFiles={([chosen]) => onChoose(chosen)}
          >
            {file === undefined ? t.choose : t.other}
          </FileButton>
          <Typography variant="body2" color="text.secondary" sx={{ display: { xs: 'none', sm: 'block' } }}>
            {t.drop}
          </Typography>
          {action}
        </Stack>
        {sent !== undefined && (
          <Box sx={{ mt: 2 }} aria-live="polite">
            <Typography variant="body2">{t.checking}</Typography>
            <LinearProgress
              aria-label={t.checking}
              variant={sent < 1 ? 'determinate' : 'indeterminate'}
              value={sent * 100}
            />
          </Box>
        )}
        {error !== null && <ErrorNotice error={error} />}
      </CardContent>
    </Card>
  )
}

export function Counts({ result }: { result: ImportCounts }) {
  const t = useTexts(words)
  const figures = [
    [t.total, result.total],
    [t.created, result.created],
    [t.updated, result.updated],
    [t.unchanged, result.unchanged],
    [t.errors, result.errorCount ?? result.errors.length],
  ] as const
  return (
    <Stack component="dl" direction="row" useFlexGap sx={{ m: 0, flexWrap: 'wrap', columnGap: 4, rowGap: 1 }}>
      {figures.map(([label, value]) => (
        <Box key={label} sx={{ display: 'flex', flexDirection: 'column-reverse', justifyContent: 'flex-end' }}>
          <Typography component="dt" variant="body2" color="text.secondary">
            {label}
          </Typography>
          <Typography
            component="dd"
            color={label === t.errors && value > 0 ? 'error' : 'text.primary'}
            sx={{ m: 0, fontSize: '1.4rem', fontWeight: 650 }}
          >
            {number(value)}
          </Typography>
        </Box>
      ))}
    </Stack>
  )
}

/** Values and rows that are named for one problem. */
const VALUES = 6
const ROWS = 8

interface Problem {
  readonly column: string | null
  readonly message: string
  /** Rows by the value of the cell. */
  readonly values: Map<string, number[]>
}

/** Groups errors by column and message, because a file often has the same mistake in hundreds of rows. */
function problemsOf(errors: ImportErrors['errors']): Problem[] {
  const problems = new Map<string, Problem>()
  for (const { row, column, value = null, message } of errors) {
    const key = JSON.stringify([column, message])
    const problem = problems.get(key) ?? { column, message, values: new Map<string, number[]>() }
    problem.values.set(value ?? '', [...(problem.values.get(value ?? '') ?? []), row])
    problems.set(key, problem)
  }
  return [...problems.values()]
}

export function Errors({ result: { errors, errorCount = errors.length } }: { result: ImportErrors }) {
  const t = useTexts(words)
  if (errors.length === 0) return null
  return (
    <Box sx={{ width: '100%' }}>
      <Typography variant="h3">{t.errorsTitle}</Typography>
      {errorCount > errors.length && <Typography variant="body2">{t.first(errors.length, errorCount)}</Typography>}
      <Stack component="ul" spacing={1.5} sx={{ pl: 2.5, my: 1 }}>
        {problemsOf(errors).map(({ column, message, values }) => (
          <Box component="li" key={`${column} ${message}`} sx={{ overflowWrap: 'anywhere' }}>
            {column === null ? message : t.problem(column, message)}
            {[...values].slice(0, VALUES).map(([value, rows]) => (
              <Typography key={value} variant="body2" color="text.secondary">
                {t.cells(value, rows.slice(0, ROWS), rows.length)}
              </Typography>
            ))}
            {values.size > VALUES && (
              <Typography variant="body2" color="text.secondary">
                {t.values(values.size - VALUES)}
              </Typography>
            )}
          </Box>
        ))}
      </Stack>
    </Box>
  )
}
