/**
 * The page after an error of the web application itself. If a part of the web application is missing, it waits for the server and loads the version that the
 * server has now.
 */

import { Box, Button, LinearProgress, Typography } from '@mui/material'
import { Component, type ReactNode, useEffect, useState } from 'react'

import { tabStorage } from '../browser/storage.ts'
import { texts, useTexts } from '../i18n/words.ts'

const words = texts({
  en: {
    title: 'The page could not be shown',
    text: 'Reload it. If that does not help, send your administrator this message and the steps before it:',
    reload: 'Reload',
    away: 'The server cannot be reached',
    waiting: 'This page opens as soon as the server answers.',
  },
  zh: {
    title: '页面无法显示',
    text: '请重新加载。如仍有问题，请将你的操作和以下信息告知管理员：',
    reload: '重新加载',
    away: '无法连接服务器',
    waiting: '连接恢复后会自动打开此页面。',
  },
})

const RELOADED_AT = 'tessera.reloadedAt'

/** Milliseconds between two questions whether the server answers again. */
const PAUSE = 3_000

/** A part of the web application could not be loaded: its name changes with each version, or there is no connection. */
const isMissingPart = (error: Error): boolean =>
  /dynamically imported module|importing a module script/i.test(error.message)

export interface PageErrorsProps {
  /** The error goes when this changes: another page is opened. */
  at: string
  children: ReactNode
}

/** Shows an error instead of the page that has thrown it. */
export class PageErrors extends Component<PageErrorsProps, { error: Error | undefined; at: string }> {
  override state = { error: undefined as Error | undefined, at: this.props.at }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  static getDerivedStateFromProps({ at }: PageErrorsProps, state: { at: string }) {
    return at === state.at ? null : { at, error: undefined }
  }

  override render() {
    return this.state.error === undefined ? this.props.children : <PageError error={this.state.error} />
  }
}

function PageError({ error }: { error: Error }) {
  const [hasReloaded] = useState(() => Date.now() - Number(tabStorage.getItem(RELOADED_AT)) < 60_000)
  return isMissingPart(error) && !hasReloaded ? <Reloading /> : <Failure error={error} />
}

/** Reloads the page when the server answers. Without it, the browser would show an error of its own, from which it does not come back. */
function Reloading() {
  const t = useTexts(words)
  const [isAway, setAway] = useState(false)
  useEffect(() => {
    const ask = async () => {
      const answer = await fetch('/console/', { cache: 'no-store' }).catch(() => undefined)
      if (answer?.ok !== true) return setAway(true)
      tabStorage.setItem(RELOADED_AT, String(Date.now()))
      location.reload()
    }
    void ask()
    const timer = setInterval(() => void ask(), PAUSE)
    return () => clearInterval(timer)
  }, [])
  if (!isAway) return null
  return (
    <Box role="alert" sx={{ maxWidth: 560 }}>
      <Typography variant="h1" sx={{ mb: 1 }}>
        {t.away}
      </Typography>
      <Typography sx={{ mb: 2 }}>{t.waiting}</Typography>
      <LinearProgress aria-label={t.waiting} />
    </Box>
  )
}

function Failure({ error }: { error: Error }) {
  const t = useTexts(words)
  return (
    <Box role="alert" sx={{ maxWidth: 560 }}>
      <Typography variant="h1" sx={{ mb: 1 }}>
        {t.title}
      </Typography>
      <Typography sx={{ mb: 1 }}>{t.text}</Typography>
      <Typography component="pre" variant="body2" color="text.secondary" sx={{ whiteSpace: 'pre-wrap', mb: 2 }}>
        {error.message}
      </Typography>
      <Button variant="contained" onClick={() => location.reload()}>
        {t.reload}
      </Button>
    </Box>
  )
}
