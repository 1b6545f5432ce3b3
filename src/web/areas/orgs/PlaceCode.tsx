/** The page to which the code of a location leads, after sign-in. */

import { Place } from '@mui/icons-material'
import { Button, Stack, Typography } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'react-router'

import { callWith } from '../../api/client.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { EmptyState, ErrorNotice, Loading } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'

const words = texts({
  en: {
    title: 'Location',
    none: 'No such location',
    noneText: 'It was deleted, or you are not a member of its organization.',
    open: 'To the locations',
    labels: 'Print its label',
  },
  zh: {
    title: '位置',
    none: '没有此位置',
    noneText: '位置已删除，或你不是该组织的成员。',
    open: '查看全部位置',
    labels: '打印标签',
  },
})

export default function PlaceCode() {
  const t = useTexts(words)
  const { uuid = '' } = useParams()
  const { data, error, refetch } = useQuery({
    queryKey: ['places', uuid],
    queryFn: async () => {
      // As JSON, with the token: the page for browsers says nothing.
      const { fields = [] } = (await callWith(
        'landing.page',
        { params: { type: 'location', id: uuid } },
        { headers: { accept: 'application/json' } },
      )) as { fields?: readonly { key: string; value: unknown }[] }
      return Object.fromEntries(fields.map(({ key, value }) => [key, value]))
    },
    retry: false,
  })
  const isGone = error !== null && (error as { status?: number }).status === 404
  return (
    <Page title={t.title}>
      {isGone && <EmptyState icon={Place} title={t.none} text={t.noneText} />}
      {error !== null && !isGone && <ErrorNotice error={error as never} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && (
        <>
          <Typography variant="h2" sx={{ overflowWrap: 'anywhere', mb: 2 }}>
            {String(data['path'])}
          </Typography>
          <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
            <Button component={Link} variant="contained" to={`/orgs/${String(data['orgId'])}?tab=locations`}>
              {t.open}
            </Button>
            <Button
              component={Link}
              to={`/assets/labels?source=LOCATION&ids=${String(data['id'])}&org=${String(data['orgId'])}`}
            >
              {t.labels}
            </Button>
          </Stack>
        </>
      )}
    </Page>
  )
}
