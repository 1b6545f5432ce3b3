/** The frame of the pages before the sign-in: mark, card, language. */

import { Box, Button, Card, CardContent, Link, Stack, Typography } from '@mui/material'
import type { ReactNode } from 'react'

import { site } from '../browser/site.ts'
import { switchLocale } from '../i18n/locale.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { ErrorNotice } from '../ui/Answer.tsx'
import { Logo } from '../ui/Logo.tsx'
import { Nothing, part } from '../ui/part.tsx'
import { useTitle } from '../ui/title.ts'
import type { FormState } from '../ui/use-form.tsx'
import { Foot } from './Foot.tsx'
import { useInvitation, useMailInvitation } from './target.ts'

/** Seldom used, and therefore not part of the first load. */
const Invitation = part(() => import('./Invitation.tsx'), Nothing)
const MailInvitation = part(() => import('./MailInvitation.tsx'), Nothing)

const words = texts({ en: { language: '中文' }, zh: { language: 'English' } })

export interface FrameProps {
  title: string
  form: FormState
  /** The word on the button; undefined if the form was sent. */
  action: string | undefined
  children: ReactNode
  /** Links below the card. */
  links?: ReactNode
}

export function Frame({ title, form, action, children, links }: FrameProps) {
  const t = useTexts(words)
  useTitle(title)
  const invitation = useInvitation()
  const token = useMailInvitation()
  return (
    <Box
      component="main"
      sx={{
        minHeight: '100dvh',
        display: 'flex',
        flexDirection: 'column',
        alignItems: 'center',
        p: 2,
        pt: { xs: 8, sm: 10 },
        position: 'relative',
        bgcolor: 'background.default',
      }}
    >
      <Button
        variant="outlined"
        color="inherit"
        onClick={switchLocale}
        sx={{ position: 'absolute', top: 12, right: 12 }}
      >
        {t.language}
      </Button>
      <Link
        href="/"
        color="inherit"
        underline="none"
        sx={{ display: 'flex', alignItems: 'center', gap: 1, mb: 3, fontWeight: 650, fontSize: '1.125rem' }}
      >
        <Logo height={28} />
        {site.name}
      </Link>
      {invitation !== undefined && <Invitation code={invitation} />}
      {token !== undefined && <MailInvitation token={token} />}
      <Card sx={{ width: '100%', maxWidth: 400 }}>
        <CardContent component="form" onSubmit={form.submit} sx={{ p: { xs: 2.5, sm: 3 } }}>
          <Stack spacing={2}>
            <Typography variant="h1">{title}</Typography>
            {children}
            {form.error !== null && <ErrorNotice error={form.error} />}
            {action !== undefined && (
              <Button type="submit" variant="contained" size="large" loading={form.isBusy}>
                {action}
              </Button>
            )}
          </Stack>
        </CardContent>
      </Card>
      <Stack spacing={1} sx={{ mt: 2.5, alignItems: 'center' }}>
        {links}
      </Stack>
      <Foot />
    </Box>
  )
}
