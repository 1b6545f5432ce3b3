/** The part of the imports of assets and supplies where the user says what texts of the file mean that mean nothing here. */

import { Box, Typography } from '@mui/material'

import type { AssetImportResult } from '../../api/types.ts'
import { wordOf } from '../../i18n/enums.ts'
import { labelled } from '../../i18n/format.ts'
import { texts, useLocale, useTexts } from '../../i18n/words.ts'
import { ChoiceField } from '../../ui/fields.tsx'
import { CategoryPicker, LocationPicker, PersonPicker } from './inputs.tsx'
import { useNames } from './places.ts'
import { useColumn } from './words.ts'

export const MAPS = ['status', 'category', 'location', 'custodian'] as const
type MapName = (typeof MAPS)[number]
/** The meaning of each text: a status or an id. Null leaves the cell empty. */
export type WordMaps = Readonly<Record<MapName, Readonly<Record<string, string | null>>>>
export const NO_MAPS: WordMaps = { status: {}, category: {}, location: {}, custodian: {} }

const STATUSES = ['IN_USE', 'IDLE', 'REPAIR', 'LOST', 'SCRAPPED'] as const
/** Of each kind; the user meets the others after these. */
const SHOWN = 20

const words = texts({
  en: {
    title: 'Unknown words',
    help: 'Say what they mean here. Afterwards check again.',
    empty: 'Leave empty',
    rows: (text: string, rows: number) => (rows === 1 ? `${text} (1 row)` : `${text} (${rows} rows)`),
    perhaps: (name: string) => `Perhaps: ${name}`,
    choose: 'Not chosen',
  },
  zh: {
    title: '无法识别的词',
    help: '请指定它们的含义，然后重新检查。',
    empty: '留空',
    rows: (text: string, rows: number) => `${text}（${rows} 行）`,
    perhaps: (name: string) => `可能是：${name}`,
    choose: '未选择',
  },
})

interface WordsProps {
  result: { readonly unmatched: Partial<AssetImportResult['unmatched']> }
  maps: WordMaps
  onChange: (maps: WordMaps) => void
}

export function UnknownWords({ result: { unmatched }, maps, onChange }: WordsProps) {
  const t = useTexts(words)
  const column = useColumn()
  const all = MAPS.flatMap((kind) => {
    const found = (unmatched[kind] ?? []).slice(0, SHOWN)
    const chosen = Object.keys(maps[kind]).filter((text) => found.every((one) => one.text !== text))
    return [...found, ...chosen.map((text) => ({ text, rows: 0, suggestion: null }))].map((one) => ({ kind, ...one }))
  })
  if (all.length === 0) return null
  const set = (kind: MapName, text: string, value: string | null | undefined) => {
    const { [text]: _, ...others } = maps[kind]
    onChange({ ...maps, [kind]: value === undefined ? others : { ...others, [text]: value } })
  }
  return (
    <>
      <Typography variant="h3" sx={{ mt: 3 }}>
        {t.title}
      </Typography>
      <Typography variant="body2" color="text.secondary" sx={{ mb: 2 }}>
        {t.help}
      </Typography>
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 260px), 1fr))' }}>
        {all.map(({ kind, text, rows, suggestion }) => (
          <Word
            key={`${kind} ${text}`}
            kind={kind}
            label={labelled(column(kind), rows === 0 ? text : t.rows(text, rows))}
            value={maps[kind][text]}
            suggestion={suggestion}
            onChange={(value) => set(kind, text, value)}
          />
        ))}
      </Box>
    </>
  )
}

interface WordProps {
  kind: MapName
  label: string
  /** Undefined if nothing was chosen. */
  value: string | null | undefined
  suggestion: string | null
  onChange: (value: string | null | undefined) => void
}

const PICKERS = { category: CategoryPicker, location: LocationPicker, custodian: PersonPicker } as const
/** The value of the entry that leaves cells empty. */
const EMPTY = 'EMPTY'

function Word({ kind, label, value, suggestion, onChange }: WordProps) {
  const t = useTexts(words)
  const locale = useLocale()
  const names = useNames()
  const nameOf = (id: string) =>
    kind === 'status' ? wordOf('assetStatus', id, locale) : names[kind === 'custodian' ? 'person' : kind](Number(id))
  const meant = value === undefined && suggestion !== null ? nameOf(suggestion) : ''
  const help = meant ? t.perhaps(meant) : undefined
  if (kind === 'status')
    return (
      <ChoiceField
        label={label}
        value={value === null ? EMPTY : (value ?? null)}
        none={t.choose}
        choices={[
          ...STATUSES.map((id) => ({ id: id as string, name: wordOf('assetStatus', id, locale) ?? id })),
          { id: EMPTY, name: t.empty },
        ]}
        help={help}
        onChange={(next) => onChange(next === null ? undefined : next === EMPTY ? null : next)}
      />
    )
  const Picker = PICKERS[kind]
  return (
    <Picker
      label={label}
      value={value === undefined ? null : Number(value ?? 0)}
      none={t.empty}
      {...(help !== undefined && { help })}
      onChange={(id) => onChange(id === null ? undefined : id === 0 ? null : String(id))}
    />
  )
}
