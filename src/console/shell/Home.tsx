/** The start page: the things that people do first, as large buttons. */

import { Box, Card, CardActionArea, Typography } from '@mui/material'
import { Title } from 'react-admin'
import { Link } from 'react-router'

import { texts, useLocale, useTexts } from '../i18n/words.ts'
import { useOptionalSession } from '../session/session.ts'
import { useSections } from './navigation.ts'

const words = texts({
  en: { title: 'Start', hello: (name: string) => `Hello, ${name}` },
  zh: { title: '首页', hello: (name: string) => `你好，${name}` },
})

export function Home() {
  const t = useTexts(words)
  const locale = useLocale()
  const session = useOptionalSession()
  const sections = useSections(false)
  if (session === undefined) return null
  const { nickname, username } = session.user
  return (
    <Box sx={{ maxWidth: 900 }}>
      <Title title={t.title} />
      <Typography variant="h1" sx={{ mb: 2 }}>
        {t.hello(nickname || username || '')}
      </Typography>
      <Box sx={{ display: 'grid', gap: 1.5, gridTemplateColumns: 'repeat(auto-fill, minmax(150px, 1fr))' }}>
        {sections.flatMap(({ items }) =>
          items.map(({ to, label, icon: Icon }) => (
            <Card key={to}>
              <CardActionArea
                component={Link}
                to={to}
                sx={{
                  p: 2,
                  height: '100%',
                  display: 'flex',
                  flexDirection: 'column',
                  gap: 1,
                  alignItems: 'flex-start',
                }}
              >
                <Icon color="primary" />
                <Typography>{label[locale]}</Typography>
              </CardActionArea>
            </Card>
          )),
        )}
      </Box>
    </Box>
  )
}
