/** Parts of the pages that import a file: its form, the choice of the file, the result of the check with its errors, and the end. */

import { CheckCircle, TaskAlt, UploadFile } from '@mui/icons-material'
import { Alert, Box, Button, Card, CardContent, LinearProgress, Stack, Typography } from '@mui/material'
import { type ReactNode, type Ref, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'

import { upload } from '../api/client.ts'
import type { DataOf, OperationId, ParamsOf } from '../api/types.ts'
import { bytes, number } from '../i18n/format.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { ownerQuery } from '../session/session.ts'
import { ErrorNotice } from './Answer.tsx'
import { FileButton } from './FileButton.tsx'
import { type Form, type FormSettings, type FormState, useForm } from './use-form.tsx'

const words = texts({
  en: {
    recheck: 'Check again',
    changed: 'You changed something. Check again before you import.',
    result: 'Result of the check',
    nothingYet: 'Nothing has been written yet.',
    fix: 'Correct these cells in your file and choose it again, or change columns and options above. As long as there are errors, nothing is imported.',
    import: (n: number) => (n === 1 ? 'Import 1 row' : `Import ${n} rows`),
    done: 'The import is finished',
    failed: 'The import was refused and nothing was written.',
    again: 'Import another file',
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
    recheck: '重新检查',
    changed: '设置已更改，请重新检查后再导入。',
    result: '检查结果',
    nothingYet: '尚未写入任何数据。',
    fix: '请在文件中更正这些单元格，然后重新选择文件，或在上方修改列和选项。有错误时不会导入任何数据。',
    import: (n: number) => `导入 ${n} 行`,
    done: '导入完成',
    failed: '导入被拒绝，没有写入任何数据。',
    again: '导入其他文件',
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

interface ImportErrors {
  readonly errors: readonly {
    readonly row: number
    readonly column: string | null
    readonly value?: string | null
    readonly message: string
  }[]
  /** All of them, if `errors` has only the first. */
  readonly errorCount?: number
}

interface ImportCounts extends ImportErrors {
  readonly total: number
  readonly created: number
  readonly updated: number
  readonly unchanged: number
}

export interface ImportValues {
  readonly file: File | undefined
  /** Columns that the user has chosen; the server finds the others by their names. */
  readonly mapping: Readonly<Record<string, string | null>>
}

interface ImportSettings<Id extends OperationId, Values> {
  /** Of the path of the operation; without them, the file belongs to the owner of the workspace. */
  params?: ParamsOf<Id>
  refreshes: FormSettings<Id, Values>['refreshes']
  /** `isDry`: the file is only checked. */
  bodyOf: (values: Values, isDry: boolean) => FormData
}

/** The form of a page that imports a file. A file is checked as soon as it is chosen. */
export function useImport<Id extends OperationId, Values extends ImportValues>(
  id: Id,
  first: Values,
  { params, refreshes, bodyOf }: ImportSettings<Id, Values>,
) {
  const [answer, setAnswer] = useState<DataOf<Id>>()
  const [isDone, setIsDone] = useState(false)
  const [sent, setSent] = useState(0)
  const isDry = useRef(true)
  const form: Form<Values> = useForm(id, first, {
    refreshes,
    paths: { file: [], mapping: [] } as Partial<Record<keyof Values, string[]>>,
    async send(_, __, ___, values) {
      setSent(0)
      const form = bodyOf(values, isDry.current)
      const target = params === undefined ? { query: ownerQuery() } : { params: params as Record<string, number> }
      return (await upload(id, { ...target, form, onProgress: setSent })) as DataOf<Id>
    },
    onDone(data) {
      setAnswer(data)
      setIsDone(!isDry.current)
    },
  })
  const send = (dry: boolean, part: Partial<Values> = {}) => {
    isDry.current = dry
    form.set(part)
    form.submit(undefined, part)
  }
  const start = () => {
    setAnswer(undefined)
    setIsDone(false)
  }
  return {
    form,
    /** Of the last check, or of the import. */
    answer,
    /** `answer` is that of the import. */
    isDone,
    /** The part of the file that is sent, from 0 to 1; undefined while nothing is. */
    sent: form.isBusy ? sent : undefined,
    /** `part`: values that change with the file. */
    choose(file: File | undefined, part: Partial<Values> = {}) {
      // A file can be dropped while another one is being checked.
      if (file === undefined || form.isBusy) return
      start()
      send(true, { ...part, file })
    },
    check: (part?: Partial<Values>) => send(true, part),
    write: () => send(false),
    restart() {
      form.reset({ ...form.values, file: undefined, mapping: {} })
      start()
    },
  }
}

interface FileCardProps {
  /** The kinds of file that are accepted, in words. */
  help: string
  /** As the attribute of an input. */
  accept: string
  file: File | undefined
  /** As in `useImport`. */
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

interface RecheckProps {
  form: FormState
  /** False until the file has been checked: before that, problems are shown at the file. */
  isChecked: boolean
  onCheck: () => void
}

/** Says that options were changed since the check, and offers the next one. */
export function Recheck({ form, isChecked, onCheck }: RecheckProps) {
  const t = useTexts(words)
  if (!form.isChanged) return null
  return (
    <Box sx={{ mt: 2 }}>
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
      {isChecked && form.error !== null && <ErrorNotice error={form.error} />}
    </Box>
  )
}

/** The title of a card that is a step of the import. */
export function Step({ n, title, ref }: { n: number; title: string; ref?: Ref<HTMLHeadingElement> }) {
  return (
    <Typography variant="h2" ref={ref} tabIndex={-1} sx={{ mb: 2, outline: 0 }}>
      {n}. {title}
    </Typography>
  )
}

interface CheckedProps {
  form: FormState
  result: ImportCounts
  /** Above the counts. */
  source?: string
  /** The words on the button, by default with the number of rows. */
  action?: string
  /** The first rows as they will be. */
  preview: ReactNode
  /** Whether the result is the first thing to read after a check. */
  takesFocus?: boolean
  onImport: () => void
}

/** The last step: the result of the check, and the button that imports. */
export function Checked({ form, result, source, action, preview, takesFocus = false, onImport }: CheckedProps) {
  const t = useTexts(words)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (takesFocus) heading.current?.focus()
  }, [takesFocus])
  const { created, updated, errors, errorCount = errors.length } = result
  return (
    <Card variant="outlined">
      <CardContent>
        <Step n={3} title={t.result} ref={heading} />
        <Stack spacing={2} sx={{ alignItems: 'flex-start', '& > *': { maxWidth: '100%' } }}>
          {source !== undefined && <Typography color="text.secondary">{source}</Typography>}
          <Counts result={result} />
          {errorCount > 0 && <Alert severity="warning">{t.fix}</Alert>}
          <Errors result={result} />
          {preview}
          <Typography variant="body2" color="text.secondary">
            {t.nothingYet}
          </Typography>
          {!form.isChanged && form.error !== null && <ErrorNotice error={form.error} />}
          <Button
            variant="contained"
            startIcon={<CheckCircle />}
            loading={form.isBusy}
            disabled={form.isChanged || errorCount > 0 || created + updated === 0}
            onClick={onImport}
          >
            {action ?? t.import(created + updated)}
          </Button>
        </Stack>
      </CardContent>
    </Card>
  )
}

interface ImportedProps {
  /** Null if the import failed; undefined if it is over without an answer. */
  result: ImportCounts | null | undefined
  hasFailed?: boolean
  /** Where the rows are, and the words of the link. */
  to: string
  show: string
  onAgain: () => void
}

/** The end of an import. */
export function Imported({ result, hasFailed = false, to, show, onAgain }: ImportedProps) {
  const t = useTexts(words)
  return (
    <Card variant="outlined">
      <CardContent>
        <Stack spacing={2} sx={{ alignItems: 'flex-start' }} aria-live="polite">
          {hasFailed ? (
            <Alert severity="error">{t.failed}</Alert>
          ) : (
            <Stack direction="row" spacing={1} sx={{ alignItems: 'center' }}>
              <TaskAlt color="success" />
              <Typography variant="h2">{t.done}</Typography>
            </Stack>
          )}
          {result != null && (
            <>
              <Counts result={result} />
              <Errors result={result} />
            </>
          )}
          <Stack direction="row" spacing={1}>
            <Button component={Link} to={to} variant="contained">
              {show}
            </Button>
            <Button onClick={onAgain}>{t.again}</Button>
          </Stack>
        </Stack>
      </CardContent>
    </Card>
  )
}

function Counts({ result }: { result: ImportCounts }) {
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

function Errors({ result: { errors, errorCount = errors.length } }: { result: ImportErrors }) {
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
