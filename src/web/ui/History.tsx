/** The changes of a row by administrators, from the operation log. */

import { Box, Typography } from '@mui/material'
import { Fragment, type ReactNode } from 'react'

import { usePages } from '../api/pages.ts'
import type { OperationLogRow } from '../api/types.ts'
import { type EnumName, enums, wordOf } from '../i18n/enums.ts'
import { fields } from '../i18n/fields.ts'
import { bytes, dateTime, labelled } from '../i18n/format.ts'
import type { Locale } from '../i18n/locale.ts'
import { logFields, logWords } from '../i18n/log-words.ts'
import { texts, useLocale, useTexts } from '../i18n/words.ts'
import { useMay } from '../session/session.ts'
import { ErrorNotice, Loading, MoreButton } from './Answer.tsx'
import { OrgById, UserById } from './named.tsx'

const words = texts({
  en: {
    history: 'History',
    title: 'Changes by administrators',
    none: 'No administrator has changed this.',
    empty: 'empty',
    others: (n: number) => `and ${n} more`,
    yes: 'yes',
    no: 'no',
    added: (list: string) => `added ${list}`,
    removed: (list: string) => `removed ${list}`,
  },
  zh: {
    history: '历史记录',
    title: '管理员的更改',
    none: '没有管理员更改过此项。',
    empty: '空',
    others: (n: number) => `还有 ${n} 项`,
    yes: '是',
    no: '否',
    added: (list: string) => `添加 ${list}`,
    removed: (list: string) => `移除 ${list}`,
  },
})

export interface HistoryProps {
  targetType: OperationLogRow['targetType']
  targetId: number
}

/** The history below the details of a thing, with a heading. Not shown to administrators who may not read the log. */
export function HistorySection(props: HistoryProps) {
  const t = useTexts(words)
  const may = useMay()
  if (!may('operationLog.list')) return null
  return (
    <Box sx={{ mt: 3, overflowX: 'auto' }}>
      <Typography variant="h2" sx={{ mb: 1 }}>
        {t.title}
      </Typography>
      <History {...props} />
    </Box>
  )
}

/** The changes by administrators to one thing, from the operation log. */
export function History({ targetType, targetId }: HistoryProps) {
  const t = useTexts(words)
  const { actions } = useTexts(logWords)
  const may = useMay()
  const mayRead = may('operationLog.list')
  const query = usePages('operationLog.list', { query: { targetType, targetId } }, { size: 20, enabled: mayRead })
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
  objectName: ['objectType'],
  target: ['fieldTarget'],
  resultType: ['resultType'],
  roles: ['systemRole'],
  language: ['language'],
  locale: ['language'],
  audience: ['audience'],
}

function valueWord(name: string, value: string, locale: Locale): string {
  const found = ENUMS[name]?.find((one) => value in enums[one])
  return found === undefined ? value : wordOf(found, value, locale)
}

type Fields = Readonly<Record<string, unknown>>

/** Own words for fields and values, such as those of settings. Undefined: the usual ones. */
export interface ChangeWords {
  label: (name: string) => string | undefined
  value: (name: string, value: unknown) => string | undefined
}

const USERS: ReadonlySet<string> = new Set(['userId', 'ownerId', 'uploaderId', 'createdBy'])
/** Each is looked up by itself. */
const MOST_USERS = 5

/** A number that the log also has a name for, or a kind of recipients that are named: the reader does not need it. */
const isNamed = (name: string, { code, orgName, userIds, orgId }: Fields): boolean =>
  (name === 'roleId' && code !== undefined) ||
  (name === 'orgId' && orgName !== undefined) ||
  (name === 'audience' && (Array.isArray(userIds) || typeof orgId === 'number'))

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

/** Empty fields of a new or deleted row say nothing. `scopeId` is 0 for roles that belong to no organization. */
const toldOf = (row: Fields): string[] =>
  Object.keys(row).filter((name) => !isEmpty(row[name]) && !(name === 'scopeId' && row[name] === 0))

/** The fields that a logged write has changed: `name: old → new`. `most`: how many of them are shown. */
export function Change({
  before,
  after,
  most = Infinity,
  words: own,
}: Pick<OperationLogRow, 'before' | 'after'> & { most?: number; words?: ChangeWords | undefined }) {
  const locale = useLocale()
  const t = useTexts(words)
  const both = { ...before, ...after }
  const names = (before === null || after === null ? toldOf(both) : Object.keys(both)).filter(
    (name) => !isNamed(name, both),
  )
  const label = (name: string) => own?.label(name) ?? (fields[name] ?? logFields[name])?.[locale] ?? name
  const text = (name: string, value: unknown): string => {
    if (isEmpty(value)) return t.empty
    const chosen = own?.value(name, value)
    if (chosen !== undefined) return chosen
    if (typeof value === 'boolean') return value ? t.yes : t.no
    if (typeof value === 'number' && /(At|Time)$/.test(name)) return dateTime(value)
    if (typeof value === 'number' && /(bytes|size)$/i.test(name)) return bytes(value)
    if (typeof value === 'string') return valueWord(name, value, locale)
    if (Array.isArray(value)) return value.map((one) => text(name, one)).join(', ')
    if (typeof value === 'object') {
      const row = value as Fields
      return toldOf(row)
        .filter((key) => !isNamed(key, row))
        .map((key) => `${label(key)} ${text(key, row[key])}`)
        .join(', ')
    }
    return String(value)
  }
  const shown = (name: string, row: Fields): ReactNode => {
    const value = row[name]
    if (name === 'userIds' && Array.isArray(value))
      return (
        <>
          {value.slice(0, MOST_USERS).map((id: number, i) => (
            <Fragment key={id}>
              {i > 0 && ', '}
              <UserById id={id} />
            </Fragment>
          ))}
          {value.length > MOST_USERS && ` ${t.others(value.length - MOST_USERS)}`}
        </>
      )
    if (typeof value !== 'number') return text(name, value)
    if (name === 'orgId' || (name === 'ownerId' && both['ownerType'] === 'ORGANIZATION')) return <OrgById id={value} />
    return USERS.has(name) ? <UserById id={value} /> : text(name, value)
  }
  return (
    <>
      {names.slice(0, most).map((name) => {
        const lists = listsOf(before?.[name], after?.[name])
        return (
          <Typography key={name} variant="body2" component="div" sx={{ overflowWrap: 'anywhere' }}>
            <Box component="span" sx={{ color: 'text.secondary' }}>
              {labelled(label(name), '')}
            </Box>
            {lists !== undefined ? (
              <>
                {lists.added.length > 0 && (
                  <Box component="ins" sx={{ textDecoration: 'none' }}>
                    {t.added(text(name, lists.added))}
                  </Box>
                )}
                {lists.added.length > 0 && lists.removed.length > 0 && '; '}
                {lists.removed.length > 0 && <span>{t.removed(text(name, lists.removed))}</span>}
              </>
            ) : (
              <>
                {before !== null && name in before && (
                  <Box component={after === null ? 'span' : 'del'} sx={{ color: 'text.secondary' }}>
                    {shown(name, before)}
                  </Box>
                )}
                {before !== null && after !== null && ' → '}
                {after !== null && name in after && (
                  <Box component="ins" sx={{ textDecoration: 'none' }}>
                    {shown(name, after)}
                  </Box>
                )}
              </>
            )}
          </Typography>
        )
      })}
      {names.length > most && <Typography variant="body2">{t.others(names.length - most)}</Typography>}
    </>
  )
}

/** Of two lists of words, the words that only one of them has; undefined for other values and for a changed order. */
function listsOf(before: unknown, after: unknown): { added: unknown[]; removed: unknown[] } | undefined {
  const isWords = (list: unknown): list is string[] =>
    Array.isArray(list) && list.every((word) => typeof word === 'string')
  if (!isWords(before) || !isWords(after)) return undefined
  const added = after.filter((word) => !before.includes(word))
  const removed = before.filter((word) => !after.includes(word))
  return added.length + removed.length === 0 ? undefined : { added, removed }
}
