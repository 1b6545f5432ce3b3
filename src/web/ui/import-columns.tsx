/** The columns of a file that is imported: their choice, with the options, and the first rows as they will be. */

import {
  Box,
  Card,
  CardContent,
  Table,
  TableBody,
  TableCell,
  TableContainer,
  TableHead,
  TableRow,
  Typography,
} from '@mui/material'
import { type ReactNode, useEffect, useRef } from 'react'

import { texts, useTexts } from '../i18n/words.ts'
import { ChoiceField } from './fields.tsx'
import { type ImportValues, Recheck, Step } from './imports.tsx'
import type { Form } from './use-form.tsx'

const words = texts({
  en: {
    title: 'Match the columns',
    options: 'Options',
    ignore: 'Ignore',
    perhaps: (name: string) => `Perhaps: ${name}`,
    preview: 'First rows',
    row: 'Row',
    action: 'Result',
    actions: { CREATE: 'New', UPDATE: 'Changed', UNCHANGED: 'Unchanged' },
    inFile: (text: string) => `in the file: ${text}`,
  },
  zh: {
    title: '匹配列',
    options: '选项',
    ignore: '忽略',
    perhaps: (name: string) => `可能是：${name}`,
    preview: '前几行',
    row: '行',
    action: '结果',
    actions: { CREATE: '新建', UPDATE: '修改', UNCHANGED: '不变' },
    inFile: (text: string) => `文件中：${text}`,
  },
})

/** The columns that a file can fill, with their names. */
export type Targets = readonly { readonly id: string; readonly name: string }[]

interface ColumnsProps {
  columns: readonly {
    readonly header: string
    readonly key: string | null
    readonly suggestion?: string | null
  }[]
  targets: Targets
  /** The choices of the user. */
  mapping: Readonly<Record<string, string | null>>
  onChange: (mapping: Record<string, string | null>) => void
}

/** One list for each column of the file. */
function Columns({ columns, targets, mapping, onChange }: ColumnsProps) {
  const t = useTexts(words)
  const nameOf = (id: string) => targets.find((target) => target.id === id)?.name ?? id
  return (
    <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 220px), 1fr))' }}>
      {columns.map(({ header, key: found, suggestion }) => {
        const key = (header in mapping ? mapping[header] : found) ?? null
        const isKnown = key === null || targets.some(({ id }) => id === key)
        return (
          <ChoiceField
            key={header}
            label={header}
            value={key}
            none={t.ignore}
            choices={isKnown ? targets : [...targets, { id: key, name: key }]}
            help={key === null && suggestion != null ? t.perhaps(nameOf(suggestion)) : undefined}
            onChange={(next) => onChange({ ...mapping, [header]: next })}
          />
        )
      })}
    </Box>
  )
}

interface ColumnsCardProps<Values extends ImportValues> {
  form: Form<Values>
  result: { readonly columns: ColumnsProps['columns'] }
  targets: Targets
  /** About the file, above its columns. */
  reading?: ReactNode
  /** About the columns, below them. */
  notices?: ReactNode
  /** The options. */
  children: ReactNode
  onCheck: () => void
}

/** The second step of an import: the columns and the options. It takes the focus when the file has been checked. */
export function ColumnsCard<Values extends ImportValues>({
  form,
  result,
  targets,
  reading,
  notices,
  children,
  onCheck,
}: ColumnsCardProps<Values>) {
  const t = useTexts(words)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <Card variant="outlined">
      <CardContent>
        <Step n={2} title={t.title} ref={heading} />
        {reading}
        <Columns
          columns={result.columns}
          targets={targets}
          mapping={form.values.mapping}
          onChange={(mapping) => form.set({ mapping } as Partial<Values>)}
        />
        {notices}
        <Typography variant="h3" sx={{ mt: 3, mb: 2 }}>
          {t.options}
        </Typography>
        {children}
        <Recheck form={form} isChecked onCheck={onCheck} />
      </CardContent>
    </Card>
  )
}

interface PreviewValue {
  readonly key: string
  readonly value: unknown
  /** In the file, if it may look different. */
  readonly text?: string
}

interface PreviewProps {
  rows: readonly {
    readonly row: number
    readonly action: 'CREATE' | 'UPDATE' | 'UNCHANGED'
    readonly values: readonly PreviewValue[]
  }[]
  targets: Targets
}

/** The first rows as they will be written. */
export function Preview({ rows, targets }: PreviewProps) {
  const t = useTexts(words)
  if (rows.length === 0) return null
  const keys = [...new Set(rows.flatMap(({ values }) => values.map(({ key }) => key)))]
  return (
    <Box sx={{ width: '100%' }}>
      <Typography variant="h3">{t.preview}</Typography>
      <TableContainer tabIndex={0} component="section" aria-label={t.preview}>
        <Table size="small" sx={{ whiteSpace: 'nowrap' }}>
          <TableHead>
            <TableRow>
              <TableCell>{t.row}</TableCell>
              <TableCell>{t.action}</TableCell>
              {keys.map((key) => (
                <TableCell key={key}>{targets.find(({ id }) => id === key)?.name ?? key}</TableCell>
              ))}
            </TableRow>
          </TableHead>
          <TableBody>
            {rows.map(({ row, action, values }) => (
              <TableRow key={row}>
                <TableCell>{row}</TableCell>
                <TableCell>{t.actions[action]}</TableCell>
                {keys.map((key) => (
                  <TableCell key={key} sx={{ maxWidth: 240, overflow: 'hidden', textOverflow: 'ellipsis' }}>
                    <Value value={values.find((value) => value.key === key)} />
                  </TableCell>
                ))}
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </TableContainer>
    </Box>
  )
}

/** A value as it will be written, with the text of the file if it looks different. */
function Value({ value }: { value: PreviewValue | undefined }) {
  const t = useTexts(words)
  if (value === undefined) return null
  const written = String(value.value ?? '')
  const { text = '' } = value
  return (
    <>
      {written}
      {text !== written && text !== '' && (
        <Typography variant="caption" color="text.secondary" sx={{ display: 'block' }}>
          {t.inFile(text)}
        </Typography>
      )}
    </>
  )
}
