/** The start page: first steps of a newcomer, then the newest things of the workspace, then all parts as large buttons. */

import { Box, Card, CardActionArea, Typography } from '@mui/material'
import { Link } from 'react-router'

import { texts, useLocale, useTexts } from '../i18n/words.ts'
import { useOptionalSession } from '../session/session.ts'
import { Loading } from '../ui/Answer.tsx'
import { part } from '../ui/part.tsx'
import { useTitle } from '../ui/title.ts'
import { useSections } from './navigation.ts'

const words = texts({
  en: { title: 'Start', hello: (name: string) => `Hello, ${name}`, parts: 'All areas' },
  zh: { title: '首页', hello: (name: string) => `你好，${name}`, parts: '全部功能' },
})

/** Not needed for the first load of other pages. */
const Overview = part(() => import('../areas/start/Overview.tsx'), Loading)

export function Home() {
  const t = useTexts(words)
  useTitle(t.title)
  const locale = useLocale()
  const session = useOptionalSession()
  const sections = useSections(false)
  if (session === undefined) return null
  const { nickname, username } = session.user
  return (
    <Box sx={{ maxWidth: 1100 }}>
      <Typography variant="h1" sx={{ mb: 2, overflowWrap: 'anywhere' }}>
        {t.hello(nickname || username || '')}
      </Typography>
      <Overview>
        <div>
          <Typography variant="h2" sx={{ mt: 3, mb: 1.5 }}>
            {t.parts}
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
        </div>
      </Overview>
    </Box>
  )
}
