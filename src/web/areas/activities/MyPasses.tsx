/** The passes of the user, to show at the gate. They also open without a connection. */

import { ConfirmationNumber, Fullscreen } from '@mui/icons-material'
import { Box, Button, Card, CardContent, Stack } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'

import { texts, useTexts } from '../../i18n/words.ts'
import { Answer, EmptyState } from '../../ui/Answer.tsx'
import { CodeScreen } from '../../ui/CodeScreen.tsx'
import { Page } from '../../ui/Page.tsx'
import { QrPicture } from '../../ui/QrPicture.tsx'
import { Row } from '../../ui/Rows.tsx'
import { type MyPass, readMyPasses } from './my-passes.ts'
import { activityWords, placeOf, whenOf } from './words.ts'

const words = texts({
  en: {
    show: (title: string) => `Show the pass: ${title}`,
    showShort: 'Show',
    empty: 'You have no passes',
    emptyText:
      'Passes for the activities for which you have registered are here until the activities are over, also without a connection.',
  },
  zh: {
    show: (title: string) => `出示通行证：${title}`,
    showShort: '出示',
    empty: '还没有通行证',
    emptyText: '你已报名活动的通行证会显示在这里，直到活动结束；没有网络时也能出示。',
  },
})

export default function MyPasses() {
  const t = useTexts(words)
  const shared = useTexts(activityWords)
  const [shown, setShown] = useState<MyPass>()
  const query = useQuery({ queryKey: ['activities', 'passes'], queryFn: readMyPasses })
  return (
    <Page title={shared.myPasses} back="/activities">
      <Answer query={query}>
        {(passes) =>
          passes.length === 0 ? (
            <EmptyState icon={ConfirmationNumber} title={t.empty} text={t.emptyText} />
          ) : (
            <Stack component="ul" spacing={1.5} sx={{ m: 0, p: 0, listStyle: 'none' }}>
              {passes.map((pass) => (
                <Card key={pass.code.content} component="li" variant="outlined">
                  <CardContent>
                    <Stack direction="row" spacing={2} sx={{ alignItems: 'center' }}>
                      <QrPicture content={pass.code.content} alt="" width={72} />
                      <Box sx={{ flex: 1, minWidth: 0 }}>
                        <Row
                          title={<Link to={`/activities/${pass.activity.id}`}>{pass.code.title}</Link>}
                          details={detailsOf(pass)}
                          actions={
                            <Button
                              variant="contained"
                              startIcon={<Fullscreen />}
                              aria-label={t.show(pass.code.title)}
                              onClick={() => setShown(pass)}
                            >
                              {t.showShort}
                            </Button>
                          }
                        />
                      </Box>
                    </Stack>
                  </CardContent>
                </Card>
              ))}
            </Stack>
          )
        }
      </Answer>
      {shown && (
        <CodeScreen
          content={shown.code.content}
          alt={shown.code.title}
          title={shown.code.title}
          text={detailsOf(shown)}
          onClose={() => setShown(undefined)}
        />
      )}
    </Page>
  )
}

const detailsOf = ({ activity }: MyPass): string => [whenOf(activity), placeOf(activity)].filter(Boolean).join(' · ')
