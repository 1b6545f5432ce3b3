/** The page for addresses that lead nowhere. */

import { Button, Stack, Typography } from '@mui/material'
import { Link } from 'react-router'

import { texts, useTexts } from '../i18n/words.ts'

const words = texts({
  en: {
    title: 'This page does not exist',
    text: 'The link may be incomplete, or what it showed was deleted.',
    home: 'Go to the start',
  },
  zh: { title: '页面不存在', text: '链接可能不完整，或内容已被删除。', home: '回到首页' },
})

export function NotFound() {
  const t = useTexts(words)
  return (
    <Stack spacing={2} sx={{ alignItems: 'flex-start', p: 4, maxWidth: 480 }}>
      <Typography variant="h1">{t.title}</Typography>
      <Typography color="text.secondary">{t.text}</Typography>
      <Button component={Link} to="/" variant="contained">
        {t.home}
      </Button>
    </Stack>
  )
}
