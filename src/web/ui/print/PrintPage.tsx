/** The page that prints codes of things as labels: `/codes/print?ids=1,2&org=3`. Reads all things that the address names, of the owner
 * in it: without one, of the user. */

import { QrCode2 } from '@mui/icons-material'
import { Alert, Button, LinearProgress } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link, useSearchParams } from 'react-router'

import { texts, useTexts } from '../../i18n/words.ts'
import { useOwner } from '../../session/session.ts'
import { EmptyState, ErrorNotice } from '../Answer.tsx'
import { Page } from '../Page.tsx'
import { PrintSheet } from './PrintSheet.tsx'
import type { Printing } from './sheet.ts'

const words = texts({
  en: {
    title: 'Print labels',
    nothing: 'Nothing to print',
    reading: 'Reading what is printed',
    missing: (n: number) =>
      n === 1
        ? 'One of them is missing: it was deleted, or it belongs to somebody else.'
        : `${n} of them are missing: they were deleted, or they belong to somebody else.`,
  },
  zh: {
    title: '打印标签',
    nothing: '没有可打印的内容',
    reading: '正在读取要打印的内容',
    missing: (n: number) => `其中 ${n} 个不在这里：可能已删除，或属于他人。`,
  },
})

export interface PrintPageProps<Thing> extends Printing<Thing> {
  /** Path of the list in which people select what they print. */
  list: string
  toList: string
  /** Says how to select something. */
  hint: string
  /** Reads the first `size` of these things, in any order, and leaves out those that do not exist. Called with one page of ids. */
  read: (ids: number[], size: number) => Promise<{ items: readonly Thing[] }>
}

/** The largest page of a list. */
const PAGE = 100

/** Reads all things in the order of the ids. `onRead` is called with the number of ids read so far. */
async function readAll<Thing extends { readonly id: number }>(
  ids: readonly number[],
  read: PrintPageProps<Thing>['read'],
  onRead: (count: number) => void,
): Promise<Thing[]> {
  const found = new Map<number, Thing>()
  for (let at = 0; at < ids.length; at += PAGE) {
    const page = ids.slice(at, at + PAGE)
    for (const thing of (await read(page, PAGE)).items) found.set(thing.id, thing)
    onRead(at + page.length)
  }
  return ids.flatMap((id) => found.get(id) ?? [])
}

export function PrintPage<Thing extends { readonly id: number }>({
  list,
  toList,
  hint,
  read,
  ...printing
}: PrintPageProps<Thing>) {
  const t = useTexts(words)
  const owner = useOwner()
  const [params] = useSearchParams()
  const given = params.get('ids') ?? ''
  const ids = useMemo(
    () => [...new Set(given.split(',').map(Number))].filter((id) => Number.isSafeInteger(id) && id > 0),
    [given],
  )
  const [count, setCount] = useState(0)
  const { data, error, refetch } = useQuery({
    queryKey: [list, 'print', given, owner?.id ?? null],
    queryFn: () => readAll(ids, read, setCount),
    enabled: ids.length > 0,
    staleTime: 60_000,
  })
  const missing = data === undefined ? 0 : ids.length - data.length
  return (
    <Page title={t.title} back={list}>
      {data === undefined && error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && ids.length > 0 && (
        <LinearProgress variant="determinate" value={(100 * count) / ids.length} aria-label={t.reading} />
      )}
      {missing > 0 && (
        <Alert severity="warning" sx={{ mb: 2 }}>
          {t.missing(missing)}
        </Alert>
      )}
      {(ids.length === 0 || data?.length === 0) && (
        <EmptyState
          icon={QrCode2}
          title={t.nothing}
          text={hint}
          action={
            <Button component={Link} to={list} variant="contained">
              {toList}
            </Button>
          }
        />
      )}
      {data !== undefined && data.length > 0 && <PrintSheet things={data} {...printing} />}
    </Page>
  )
}
