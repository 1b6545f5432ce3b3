/** The frame of a page: title, way back, actions, content. */

import { ArrowBack } from '@mui/icons-material'
import { Box, IconButton, Stack, Typography } from '@mui/material'
import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { Link, useLocation } from 'react-router'

import { texts, useTexts } from '../i18n/words.ts'
import { OwnerBar } from './Owned.tsx'
import { useTitle } from './title.ts'

const words = texts({ en: { back: 'Back' }, zh: { back: '返回' } })

/** Three, so that the right edge stays while one goes from page to page: pixels, or all of the window. */
const WIDTHS = { form: 720, page: 1100, full: 'none' } as const

export interface PageProps {
  title: string
  /** Path of the page above this one. */
  back?: string
  /** Buttons at the right of the title. The one that creates something has the attribute `data-create`. */
  actions?: ReactNode
  /** Largest width of the content; `page` by default. */
  width?: keyof typeof WIDTHS
  /** In a page about one row: it belongs to everybody. */
  isShared?: boolean
  children: ReactNode
}

export function Page({ title, back, actions, width = 'page', isShared = false, children }: PageProps) {
  const t = useTexts(words)
  useTitle(title)
  const heading = useFocusedTitle()
  return (
    <Box sx={{ maxWidth: WIDTHS[width], width: '100%' }}>
      <Stack
        direction="row"
        spacing={1}
        useFlexGap
        sx={{ alignItems: 'center', flexWrap: 'wrap', mb: 2, minHeight: 44, displayPrint: 'none' }}
      >
        {back !== undefined && (
          <IconButton component={Link} to={back} aria-label={t.back} edge="start" sx={{ alignSelf: 'flex-start' }}>
            <ArrowBack />
          </IconButton>
        )}
        <Typography
          variant="h1"
          ref={heading}
          tabIndex={-1}
          sx={{
            outline: 0,
            // On phones, actions go below a long title.
            flex: { xs: `1 1 ${isLong(title) ? 'calc(100% - 56px)' : '120px'}`, sm: '1 1 180px' },
            minWidth: 0,
            overflowWrap: 'anywhere',
            fontSize: { xs: '1.375rem', sm: '1.75rem' },
          }}
        >
          {title}
        </Typography>
        {actions}
      </Stack>
      {!isShared && <OwnerBar onSwitch={focusTitle} />}
      {children}
    </Box>
  )
}

/**
 * For the title of a page. The element with the focus may have gone with the page before. Tab then goes on from the title, and screen
 * readers read it. The first page of a visit leaves the focus where the browser has it, before the link that skips the menu.
 */
export function useFocusedTitle(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null)
  const { key } = useLocation()
  useEffect(() => {
    if (key !== 'default') focusIfLost(heading.current)
  }, [key])
  return heading
}

function focusIfLost(heading: HTMLElement | null): void {
  if (document.activeElement === document.body) heading?.focus({ preventScroll: true })
}

/** Moves the focus to the title of the page if the element that had it is gone. Runs after dialogs have given it back. */
export function focusTitle(): void {
  setTimeout(() => focusIfLost(document.querySelector('h1')))
}

/** More than 18 letters, or 9 Chinese characters, which are twice as wide. */
const isLong = (title: string): boolean => title.replaceAll(/[\u2e80-\uffff]/g, 'xx').length > 18
