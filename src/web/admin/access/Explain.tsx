/** Answers why a user may do something or not: which role grants it. */

import { Cancel, CheckCircle } from '@mui/icons-material'
import { Alert, Autocomplete, Box, Chip, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'

import { useCall } from '../../api/hooks.ts'
import { useEnum } from '../../i18n/enums.ts'
import { labelled } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { Answer } from '../../ui/Answer.tsx'
import { Section } from '../../ui/parts.tsx'
import { OrgPicker, UserPicker } from '../../ui/pickers.tsx'
import { usePointText } from '../../ui/point-words.ts'
import { useAllPoints } from './points.ts'

const words = texts({
  en: {
    about: 'Choose a user and a permission to see which role grants it, or why it is refused.',
    permission: 'Permission',
    org: 'In this organization (optional)',
    yes: 'Yes, the user may do this.',
    no: 'No, the user may not do this.',
    notActive: 'The account is not active, so the user cannot sign in.',
    roles: 'Roles of the user',
    none: 'none',
    grants: 'grants it',
    not: 'does not grant it',
  },
  zh: {
    about: '选择用户和权限，即可查看由哪个角色授予，或者为什么被拒绝。',
    permission: '权限',
    org: '在此组织中（可选）',
    yes: '是，该用户可以执行此操作。',
    no: '否，该用户不能执行此操作。',
    notActive: '账号状态异常，因此无法登录。',
    roles: '用户的角色',
    none: '无',
    grants: '授予此权限',
    not: '不授予此权限',
  },
})

interface Question {
  userId: number | null
  orgId: number | null
  permission: string | null
}

export function Explain() {
  const t = useTexts(words)
  const [question, setQuestion] = useState<Question>({ userId: null, orgId: null, permission: null })
  const { userId, orgId, permission } = question
  const set = (part: Partial<Question>) => setQuestion((now) => ({ ...now, ...part }))
  const points = useAllPoints(undefined)
  const names = [...new Set(points.data?.map(({ name }) => name) ?? [])]
  const isReady = userId !== null && permission !== null
  const query = useCall(
    'access.explain',
    { query: { userId: userId ?? 0, permission: permission ?? '', ...(orgId !== null && { orgId }) } },
    { enabled: isReady },
  )
  const labelOf = usePointText()
  return (
    <Section>
      <Typography color="text.secondary" sx={{ mb: 2 }}>
        {t.about}
      </Typography>
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: '1fr', md: '1fr 1fr 1fr' }, mb: 3 }}>
        <UserPicker value={userId} onChange={(id) => set({ userId: id })} />
        <Autocomplete
          value={permission}
          options={names}
          getOptionLabel={labelOf}
          loading={points.isPending}
          onChange={(_, name) => set({ permission: name })}
          renderOption={({ key, ...rest }, name) => (
            <li key={key} {...rest}>
              <span>
                {labelOf(name)}
                <Typography component="span" variant="caption" color="text.secondary" sx={{ display: 'block' }}>
                  {name}
                </Typography>
              </span>
            </li>
          )}
          renderInput={(params) => <TextField {...params} label={t.permission} />}
        />
        <OrgPicker label={t.org} value={orgId} onChange={(id) => set({ orgId: id })} />
      </Box>
      <Box aria-live="polite">{isReady && <Decision query={query} />}</Box>
    </Section>
  )
}

function Decision({ query }: { query: ReturnType<typeof useCall<'access.explain'>> }) {
  const t = useTexts(words)
  const domainOf = useEnum('permissionDomain')
  return (
    <Answer query={query}>
      {({ granted, userStatus, answers }) => (
        <Stack spacing={2}>
          <Alert severity={granted ? 'success' : 'warning'}>{granted ? t.yes : t.no}</Alert>
          {userStatus !== 'ACTIVE' && <Alert severity="warning">{t.notActive}</Alert>}
          {answers.map(({ domain, granted: isGranted, explanation, roles }) => (
            <Box key={domain}>
              <Typography variant="h3" sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
                {isGranted ? <CheckCircle color="success" /> : <Cancel color="disabled" />}
                {domainOf(domain)}
              </Typography>
              <Typography sx={{ my: 0.5 }}>{explanation}</Typography>
              <Typography component="div" variant="body2" color="text.secondary">
                {labelled(t.roles, roles.length === 0 ? t.none : '')}{' '}
                {roles.map(({ roleId, name, grants }) => (
                  <Chip
                    key={roleId}
                    size="small"
                    variant="outlined"
                    label={labelled(name, grants ? t.grants : t.not)}
                    sx={{ mr: 0.5, mb: 0.5 }}
                  />
                ))}
              </Typography>
            </Box>
          ))}
        </Stack>
      )}
    </Answer>
  )
}
