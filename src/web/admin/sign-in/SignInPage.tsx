/** The providers with which users sign in, and whether there are other ways. */

import { Add, BadgeOutlined, ContentCopy } from '@mui/icons-material'
import { Alert, Box, Button, Stack, Typography } from '@mui/material'

import { useAction, useCall } from '../../api/hooks.ts'
import type { OidcProvider } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { Answer, EmptyState } from '../../ui/Answer.tsx'
import { useCopy } from '../../ui/copy.ts'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { Page } from '../../ui/Page.tsx'
import { Facts, Section } from '../../ui/parts.tsx'
import { Status } from '../../ui/Status.tsx'
import { DeleteProvider, ProviderForm, REFRESHES } from './ProviderForm.tsx'

const words = texts({
  en: {
    title: 'Sign-in',
    about:
      'Users can sign in with an account that they already have at Keycloak, Entra, Google or another OpenID provider of your organization.',
    add: 'Add a provider',
    none: 'There are no providers yet',
    noneText: 'Users sign in with a password, a passkey or a code.',
    on: 'On',
    off: 'Off',
    edit: 'Edit',
    check: 'Check',
    good: (name: string) => `${name} works.`,
    redirect: 'Redirect address, for the provider',
    backchannel: 'Address for back-channel logout',
    issuer: 'Issuer',
    key: 'Key',
    copy: 'Copy',
    lastError: 'Last problem',
    others: 'Other ways to sign in',
    all: 'Everyone can also sign in with a password, a code or a passkey.',
    admins: 'Only administrators can sign in without a provider.',
    restrict: 'Only with a provider',
    restrictText:
      'Users who are not administrators can sign in only with a provider. Their other sessions end when they are next renewed, after seven days at the latest. A provider must have been checked within the last hour.',
    release: 'Allow other ways',
    releaseText: 'Everyone can sign in with a password, a code or a passkey again.',
    saved: 'Saved.',
  },
  zh: {
    title: '登录方式',
    about: '用户可使用已有的账号登录：Keycloak、Entra、Google，或贵组织的其他 OpenID 身份提供方。',
    add: '添加身份提供方',
    none: '还没有身份提供方',
    noneText: '用户通过密码、通行密钥或验证码登录。',
    on: '已启用',
    off: '已停用',
    edit: '编辑',
    check: '检查',
    good: (name: string) => `${name} 工作正常。`,
    redirect: '回调地址（填写到身份提供方）',
    backchannel: '后台登出地址',
    issuer: '签发者',
    key: '标识',
    copy: '复制',
    lastError: '最近的问题',
    others: '其他登录方式',
    all: '所有人也可以通过密码、验证码或通行密钥登录。',
    admins: '只有管理员可以不通过身份提供方登录。',
    restrict: '只允许身份提供方',
    restrictText:
      '非管理员用户只能通过身份提供方登录，其他方式打开的会话将在下次续期时结束，最迟七天。须有一个身份提供方在过去一小时内检查通过。',
    release: '允许其他方式',
    releaseText: '所有人又可以通过密码、验证码或通行密钥登录。',
    saved: '已保存。',
  },
})

export default function SignInPage() {
  const t = useTexts(words)
  const may = useMay()
  const providers = useCall('admin.oidcProviders.list')
  return (
    <Page
      title={t.title}
      actions={
        may('admin.oidcProviders.create') && (
          <DialogButton label={t.add} icon={<Add />} isNew>
            {(close) => <ProviderForm onClose={close} />}
          </DialogButton>
        )
      }
    >
      <Typography color="text.secondary" sx={{ mb: 2 }}>
        {t.about}
      </Typography>
      <Answer query={providers}>
        {({ items }) => (
          <>
            {items.length === 0 && <EmptyState icon={BadgeOutlined} title={t.none} text={t.noneText} />}
            {items.map((provider) => (
              <Provider key={provider.id} provider={provider} />
            ))}
          </>
        )}
      </Answer>
      <OtherWays />
    </Page>
  )
}

function Provider({ provider }: { provider: OidcProvider }) {
  const t = useTexts(words)
  const may = useMay()
  const { id, key, name, issuer, enabled, lastError } = provider
  const check = useAction('admin.oidcProviders.check', { refreshes: REFRESHES })
  return (
    <Section title={name}>
      <Stack spacing={2} sx={{ alignItems: 'flex-start' }}>
        <Status tone={enabled ? 'good' : 'neutral'} text={enabled ? t.on : t.off} />
        <Facts
          items={[
            [t.key, key],
            [t.issuer, issuer],
            [t.redirect, <Copyable key="redirect" text={provider.redirectUri} label={`${t.copy}: ${t.redirect}`} />],
            [
              t.backchannel,
              <Copyable key="backchannel" text={provider.backchannelUri} label={`${t.copy}: ${t.backchannel}`} />,
            ],
            ...(lastError === null ? [] : [[t.lastError, lastError] as const]),
          ]}
        />
        {check.data !== undefined &&
          (check.data.ok ? (
            <Alert severity="success">{t.good(name)}</Alert>
          ) : (
            <Alert severity="error">
              {check.data.problems.map((problem) => (
                <Box key={problem}>{problem}</Box>
              ))}
            </Alert>
          ))}
        <Stack direction="row" useFlexGap spacing={1} sx={{ flexWrap: 'wrap' }}>
          {may('admin.oidcProviders.update') && (
            <DialogButton label={t.edit} aria-label={`${t.edit}: ${name}`} variant="outlined">
              {(close) => <ProviderForm provider={provider} onClose={close} />}
            </DialogButton>
          )}
          {may('admin.oidcProviders.check') && (
            <Button
              variant="outlined"
              aria-label={`${t.check}: ${name}`}
              loading={check.isPending}
              onClick={() => check.mutate({ params: { id } })}
            >
              {t.check}
            </Button>
          )}
          {may('admin.oidcProviders.delete') && <DeleteProvider provider={provider} />}
        </Stack>
      </Stack>
    </Section>
  )
}

function Copyable({ text, label }: { text: string; label: string }) {
  const t = useTexts(words)
  const copy = useCopy()
  return (
    <Stack direction="row" useFlexGap spacing={1} sx={{ alignItems: 'center', flexWrap: 'wrap' }}>
      <Box component="code" sx={{ overflowWrap: 'anywhere' }}>
        {text}
      </Box>
      <Button size="small" startIcon={<ContentCopy />} aria-label={label} onClick={() => copy(text)}>
        {t.copy}
      </Button>
    </Stack>
  )
}

const SETTING = 'security.localSignIn'

function OtherWays() {
  const t = useTexts(words)
  const { data } = useCall('admin.settings.list')
  const setting = data?.items.find(({ key }) => key === SETTING)
  if (setting === undefined) return null
  const isOpen = setting.value === 'ALL'
  const shared = { operation: 'admin.settings.update', refreshes: ['admin.settings', 'oidc'], done: t.saved } as const
  return (
    <Section title={t.others} text={isOpen ? t.all : t.admins}>
      {setting.mayChange &&
        (isOpen ? (
          <ActionButton
            key="restrict"
            {...shared}
            input={{ body: { values: { [SETTING]: 'ADMINS' } } }}
            label={t.restrict}
            title={`${t.restrict}?`}
            text={t.restrictText}
            variant="outlined"
          />
        ) : (
          <ActionButton
            key="release"
            {...shared}
            input={{ body: { values: { [SETTING]: 'ALL' } } }}
            label={t.release}
            title={`${t.release}?`}
            text={t.releaseText}
            color="primary"
            variant="outlined"
          />
        ))}
    </Section>
  )
}
