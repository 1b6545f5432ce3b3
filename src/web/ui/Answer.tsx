/** Skeleton, error and empty state of a page that calls an operation. */

import type { SvgIconComponent } from '@mui/icons-material'
import { Alert, Box, Button, CircularProgress, Skeleton, Stack, Typography } from '@mui/material'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'

import { ApiError, MUST_ENABLE_TOTP } from '../api/errors.ts'
import { number } from '../i18n/format.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { Mosaic } from './Mosaic.tsx'

const words = texts({
  en: {
    retry: 'Try again',
    request: 'Request',
    loading: 'Loading',
    more: 'Show more',
    all: (n: string) => `All ${n} are shown.`,
    failed: 'The page could not be shown.',
    setUp: 'Set it up',
  },
  zh: {
    retry: '重试',
    request: '请求编号',
    loading: '加载中',
    more: '显示更多',
    all: (n: string) => `已显示全部 ${n} 项。`,
    failed: '页面无法显示。',
    setUp: '去设置',
  },
})

/** Draws `children` with the answer of a query, and before that a skeleton or the error. */
export function Answer<T>({ query, children }: { query: UseQueryResult<T, Error>; children: (data: T) => ReactNode }) {
  const { data, error, refetch, isPending } = query
  if (error !== null && data === undefined) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  if (isPending || data === undefined) return <Loading shape="text" />
  return <>{children(data)}</>
}

/** `list`: rows with a picture. `text`: facts of one thing. `form`: fields below each other. */
export type Shape = 'list' | 'text' | 'form'

/** Appears after 150 ms, so that quick answers do not flicker. */
export function Loading({ shape = 'list', rows = 5 }: { shape?: Shape; rows?: number }) {
  const t = useTexts(words)
  return (
    <Stack
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- <progress> cannot contain the shape
      role="progressbar"
      aria-label={t.loading}
      sx={{ py: 1, animation: 'loading-appear 0.2s 0.15s backwards', overflow: 'hidden' }}
      spacing={shape === 'form' ? 3 : 2}
    >
      {Array.from({ length: rows }, (_, n) => (
        <Line key={n} shape={shape} n={n} />
      ))}
    </Stack>
  )
}

/** Rows become fainter towards the end, since nobody knows how many there will be. */
function Line({ shape, n }: { shape: Shape; n: number }) {
  if (shape === 'form') return <Skeleton variant="rounded" height={52} sx={{ maxWidth: 560 }} />
  if (shape === 'text') return <Skeleton width={`${[45, 80, 65, 72, 30][n % 5]}%`} height={28} />
  return (
    <Stack direction="row" spacing={1.5} sx={{ alignItems: 'center', opacity: 1 - n * 0.15 }}>
      <Skeleton variant="rounded" width={44} height={44} />
      <Box sx={{ flex: 1 }}>
        <Skeleton width={`${[55, 40, 65, 50, 35][n % 5]}%`} />
        <Skeleton width={`${[30, 45, 25, 35, 20][n % 5]}%`} />
      </Box>
    </Stack>
  )
}

/** An error in people's words, with the id under which the server's log has it. */
export function ErrorNotice({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const t = useTexts(words)
  const refusal = error instanceof ApiError ? error : undefined
  return (
    <Alert
      severity="error"
      sx={{ my: 1, overflowWrap: 'anywhere' }}
      action={
        refusal?.code === MUST_ENABLE_TOTP ? (
          <Button color="inherit" size="small" component={Link} to="/account/security">
            {t.setUp}
          </Button>
        ) : (
          onRetry && (
            <Button color="inherit" size="small" onClick={onRetry}>
              {t.retry}
            </Button>
          )
        )
      }
    >
      {refusal?.text ?? t.failed}
      {refusal?.details.map(({ path, message }) => (
        <Typography key={path + message} variant="body2">
          {message}
        </Typography>
      ))}
      {refusal !== undefined && refusal.requestId !== '' && (
        <Typography variant="caption" component="p" sx={{ opacity: 0.85 }}>
          {t.request} {refusal.requestId}
        </Typography>
      )}
    </Alert>
  )
}

/** The page of an empty list. It names the future content and the first step. */
export function EmptyState({
  icon: Icon,
  title,
  text,
  action,
}: {
  icon: SvgIconComponent
  title: string
  text?: string
  action?: ReactNode
}) {
  return (
    <Stack spacing={1.5} sx={{ alignItems: 'center', textAlign: 'center', py: { xs: 5, sm: 8 }, px: 2 }}>
      <Mosaic seed={title}>
        <Icon sx={{ fontSize: 56, color: 'primary.main' }} />
      </Mosaic>
      <Typography variant="h2">{title}</Typography>
      {text !== undefined && (
        <Typography color="text.secondary" sx={{ maxWidth: 420 }}>
          {text}
        </Typography>
      )}
      {action}
    </Stack>
  )
}

/** The button below a list of which only the first rows are shown. */
export function MoreButton({
  shown,
  total,
  onMore,
  isLoading,
}: {
  shown: number
  total: number
  onMore: () => void
  isLoading?: boolean
}) {
  const t = useTexts(words)
  const [usedAt, setUsedAt] = useState(Infinity)
  if (shown >= total) return shown > usedAt ? <AllShown text={t.all(number(total))} /> : null
  const more = () => {
    if (isLoading) return
    setUsedAt(shown)
    onMore()
  }
  return (
    <Stack sx={{ alignItems: 'center', py: 2, displayPrint: 'none' }}>
      {/* Not `loading`, which disables the button: the focus would be lost. */}
      <Button
        variant="outlined"
        onClick={more}
        aria-disabled={isLoading}
        {...(isLoading && { startIcon: <CircularProgress size={16} color="inherit" aria-hidden /> })}
      >
        {t.more} ({shown} / {total})
      </Button>
    </Stack>
  )
}

/** Takes the place of the button that loaded the last rows, and its focus: otherwise the next Tab would begin at the top of the page. */
function AllShown({ text }: { text: string }) {
  const place = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (document.activeElement === document.body) place.current?.focus({ preventScroll: true })
  }, [])
  return (
    <Typography
      ref={place}
      tabIndex={-1}
      variant="body2"
      color="text.secondary"
      sx={{ py: 2, textAlign: 'center', outline: 'none', displayPrint: 'none' }}
    >
      {text}
    </Typography>
  )
}
