/** Search among public organizations. */

import { SearchOff, TravelExplore } from '@mui/icons-material'
import { Box, Card, Link as MuiLink, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'
import { Link } from 'react-router'

import { usePages } from '../../api/pages.ts'
import type { PublicOrganization } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { ChoiceField } from '../../ui/fields.tsx'
import { Page } from '../../ui/Page.tsx'
import { Named } from '../../ui/Portrait.tsx'
import { useSettled } from '../../ui/use-settled.ts'
import { JoinButton } from './JoinButton.tsx'

const words = texts({
  en: {
    title: 'Public organizations',
    search: 'Search by name',
    order: 'Order',
    orders: { '-memberCount': 'Most members', name: 'Name', '-createdAt': 'Newest first' },
    members: (n: number) => (n === 1 ? '1 member' : `${n} members`),
    none: 'No public organization yet',
    noneText: 'Organizations that their owners have made public appear here.',
    nothing: 'Nothing found',
    nothingText: 'No public organization has this text in its name or description.',
  },
  zh: {
    title: '公开组织',
    search: '按名称搜索',
    order: '排序',
    orders: { '-memberCount': '成员最多', name: '名称', '-createdAt': '最新创建' },
    members: (n: number) => `${n} 名成员`,
    none: '还没有公开组织',
    noneText: '所有者设为公开的组织会显示在这里。',
    nothing: '没有找到',
    nothingText: '没有名称或简介包含这些文字的公开组织。',
  },
})

type Order = '-memberCount' | 'name' | '-createdAt'

export default function Discover() {
  const t = useTexts(words)
  const [keyword, setKeyword] = useState('')
  const [sort, setSort] = useState<Order>('-memberCount')
  const settled = useSettled(keyword.trim())
  const { items, total, error, isLoading, more, retry } = usePages('orgs.discover', {
    query: { sort, ...(settled !== '' && { keyword: settled }) },
  })
  return (
    <Page title={t.title} back="/orgs">
      <Stack direction="row" useFlexGap sx={{ flexWrap: 'wrap', gap: 1.5, mb: 2 }}>
        <TextField
          type="search"
          label={t.search}
          value={keyword}
          onChange={({ target }) => setKeyword(target.value)}
          sx={{ flex: '1 1 220px' }}
        />
        <ChoiceField
          label={t.order}
          value={sort}
          onChange={setSort}
          choices={Object.entries(t.orders).map(([id, name]) => ({ id, name }))}
          sx={{ minWidth: 150 }}
        />
      </Stack>
      {error !== null ? (
        <ErrorNotice error={error} onRetry={retry} />
      ) : items === undefined ? (
        <Loading />
      ) : items.length === 0 ? (
        settled === '' ? (
          <EmptyState icon={TravelExplore} title={t.none} text={t.noneText} />
        ) : (
          <EmptyState icon={SearchOff} title={t.nothing} text={t.nothingText} />
        )
      ) : (
        <>
          <Box
            component="ul"
            aria-label={t.title}
            sx={{
              display: 'grid',
              gap: 1.5,
              gridTemplateColumns: 'repeat(auto-fill, minmax(min(340px, 100%), 1fr))',
              listStyle: 'none',
              m: 0,
              p: 0,
            }}
          >
            {items.map((org) => (
              <Found key={org.id} org={org} />
            ))}
          </Box>
          <MoreButton shown={items.length} total={total} onMore={more} isLoading={isLoading} />
        </>
      )}
    </Page>
  )
}

function Found({ org }: { org: PublicOrganization }) {
  const t = useTexts(words)
  const policyOf = useEnum('joinPolicy')
  return (
    <Card component="li" sx={{ p: 2, display: 'flex', flexDirection: 'column', gap: 1.5 }}>
      <Named
        name={org.name}
        url={org.avatarUrl}
        size={48}
        isOrganization
        details={`${t.members(org.memberCount)} · ${policyOf(org.joinPolicy)}`}
      >
        <MuiLink component={Link} to={`/orgs/${org.id}`} color="text.primary">
          {org.name}
        </MuiLink>
      </Named>
      {org.description !== '' && (
        <Typography
          variant="body2"
          color="text.secondary"
          sx={{
            overflowWrap: 'anywhere',
            display: '-webkit-box',
            WebkitLineClamp: 3,
            WebkitBoxOrient: 'vertical',
            overflow: 'hidden',
          }}
        >
          {org.description}
        </Typography>
      )}
      <Box sx={{ mt: 'auto', display: 'flex', justifyContent: 'flex-end' }}>
        <JoinButton org={org} />
      </Box>
    </Card>
  )
}
