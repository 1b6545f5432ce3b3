/** The changes of a row by administrators, from the operation log. */

import { Box, Typography } from '@mui/material'
import { useRecordContext } from 'react-admin'

import { usePages } from '../api/pages.ts'
import type { OperationLogRow } from '../api/types.ts'
import { type EnumName, enums, wordOf } from '../i18n/enums.ts'
import { fields } from '../i18n/fields.ts'
import { dateTime } from '../i18n/format.ts'
import type { Locale } from '../i18n/locale.ts'
import { logWords } from '../i18n/log-words.ts'
import { texts, useLocale, useTexts } from '../i18n/words.ts'
import { useMay } from '../session/session.ts'
import { ErrorNotice, Loading, MoreButton } from './Answer.tsx'

const words = texts({
  en: {
    history: 'History',
    none: 'No administrator has changed this.',
    empty: 'empty',
    others: (n: number) => `and ${n} more`,
    yes: 'yes',
    no: 'no',
  },
  zh: {
    history: '历史记录',
    none: '没有管理员更改过此项。',
    empty: '空',
    others: (n: number) => `还有 ${n} 项`,
    yes: '是',
    no: '否',
  },
})

/** The changes by administrators to the row of the page, from the operation log. `targetId`: by default the id of the row. */
export function History({ targetType, targetId }: { targetType: OperationLogRow['targetType']; targetId?: number }) {
  const t = useTexts(words)
  const { actions } = useTexts(logWords)
  const record = useRecordContext()
  const may = useMay()
  const mayRead = may('operationLog.list')
  const id = targetId ?? Number(record?.id)
  const query = usePages(
    'operationLog.list',
    { query: { targetType, targetId: id } },
    { size: 20, enabled: mayRead && id > 0 },
  )
  if (!mayRead) return null
  if (query.error !== null) return <ErrorNotice error={query.error} onRetry={query.retry} />
  if (query.items === undefined) return <Loading />
  if (query.items.length === 0) return <Typography color="text.secondary">{t.none}</Typography>
  return (
    <>
      <Box component="ul" aria-label={t.history} sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {query.items.map((row) => (
          <Box component="li" key={row.id} sx={{ py: 1.5, '& + &': { borderTop: 1, borderColor: 'divider' } }}>
            <Typography component="p" sx={{ fontWeight: 600 }}>
              {actions[row.action] ?? row.action}
            </Typography>
            <Typography variant="body2" color="text.secondary" component="p" sx={{ mb: 0.5 }}>
              {dateTime(row.createdAt)} · {row.actorName}
            </Typography>
            <Change before={row.before} after={row.after} />
          </Box>
        ))}
      </Box>
      <MoreButton shown={query.items.length} total={query.total} onMore={query.more} isLoading={query.isLoading} />
    </>
  )
}

/** The enums of properties in the log: of the first that has the value, the word is shown. */
const ENUMS: Readonly<Record<string, readonly EnumName[]>> = {
  status: ['userStatus', 'activityStatus', 'passStatus', 'assetStatus'],
  visibility: ['orgVisibility', 'activityVisibility'],
  joinPolicy: ['joinPolicy'],
  domain: ['permissionDomain'],
  type: ['fieldType', 'agreementType', 'fileType'],
  scope: ['metaScope', 'categoryScope'],
  ownerType: ['ownerType'],
  contentType: ['contentType'],
  entityType: ['shareType', 'fileUse'],
  method: ['checkInMethod'],
  kind: ['audience', 'wordKind'],
  language: ['language'],
  locale: ['language'],
  audience: ['audience'],
}

function valueWord(name: string, value: string, locale: Locale): string {
  const found = ENUMS[name]?.find((one) => value in enums[one])
  return found === undefined ? value : wordOf(found, value, locale)
}

/** The fields that a logged write has changed: `name: old → new`. `most`: how many of them are shown. */
export function Change({
  before,
  after,
  most = Infinity,
}: Pick<OperationLogRow, 'before' | 'after'> & { most?: number }) {
  const locale = useLocale()
  const t = useTexts(words)
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  const label = (name: string) => fields[name]?.[locale] ?? name
  const show = (name: string, value: unknown): string => {
    if (value === null || value === undefined || value === '') return t.empty
    if (typeof value === 'boolean') return value ? t.yes : t.no
    if (typeof value === 'number' && /(At|Time)$/.test(name)) return dateTime(value)
    if (typeof value === 'string') return valueWord(name, value, locale)
    if (Array.isArray(value)) return value.map((one) => show(name, one)).join(', ') || t.empty
    if (typeof value === 'object')
      return Object.entries(value)
        .map(([key, one]) => `${label(key)} ${show(key, one)}`)
        .join(', ')
    return String(value)
  }
  return (
    <>
      {names.slice(0, most).map((name) => (
        <Typography key={name} variant="body2" component="p" sx={{ overflowWrap: 'anywhere' }}>
          <Box component="span" sx={{ color: 'text.secondary' }}>
            {label(name)}:
          </Box>{' '}
          {before !== null && name in before && (
            <Box component={after === null ? 'span' : 'del'} sx={{ color: 'text.secondary' }}>
              {show(name, before[name])}
            </Box>
          )}
          {before !== null && after !== null && ' → '}
          {after !== null && name in after && (
            <Box component="ins" sx={{ textDecoration: 'none' }}>
              {show(name, after[name])}
            </Box>
          )}
        </Typography>
      ))}
      {names.length > most && <Typography variant="body2">{t.others(names.length - most)}</Typography>}
    </>
  )
}
