/** The pages for addresses that lead nowhere, and for those that the user may not open. */

import { Button, Stack, Typography } from '@mui/material'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import { ApiError } from '../api/errors.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { Answer } from './Answer.tsx'
import { useTitle } from './title.ts'

const words = texts({
  en: {
    title: 'This page does not exist',
    text: 'The link may be incomplete, or what it showed was deleted.',
    denied: 'No access',
    deniedText: 'You do not have permission to open this page. An administrator can grant it.',
    home: 'Go to the start',
  },
  zh: {
    title: '页面不存在',
    text: '链接可能不完整，或内容已被删除。',
    denied: '没有权限',
    deniedText: '你没有权限访问此页面，可请管理员授权。',
    home: '回到首页',
  },
})

function Notice({ title, text }: { title: string; text: string }) {
  const t = useTexts(words)
  useTitle(title)
  return (
    <Stack spacing={2} sx={{ alignItems: 'flex-start', p: 4, maxWidth: 480 }}>
      <Typography variant="h1">{title}</Typography>
      <Typography color="text.secondary">{text}</Typography>
      <Button component={Link} to="/" variant="contained">
        {t.home}
      </Button>
    </Stack>
  )
}

export function NotFound() {
  const t = useTexts(words)
  return <Notice title={t.title} text={t.text} />
}

/** Draws a whole page with the answer of a query. A row that does not exist is as an address that leads nowhere. */
export function PageAnswer<T>(props: { query: UseQueryResult<T, Error>; children: (data: T) => ReactNode }) {
  const { data, error } = props.query
  return data === undefined && isMissing(error) ? <NotFound /> : <Answer {...props} />
}

const isMissing = (error: unknown): boolean => error instanceof ApiError && error.status === 404

export function NoAccess() {
  const t = useTexts(words)
  return <Notice title={t.denied} text={t.deniedText} />
}
