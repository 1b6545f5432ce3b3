/** Data of an organization, its code for joining, and how much it owns. */

import { ContentCopy, Fullscreen, OpenInNew, Print } from '@mui/icons-material'
import { Box, Button, Stack, Typography } from '@mui/material'
import { Link } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import type { Organization, OrganizationStats } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { date, labelled, number } from '../../i18n/format.ts'
import { resourceWords } from '../../i18n/resource-words.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { AddressWarning } from '../../ui/AddressWarning.tsx'
import { CodeScreen } from '../../ui/CodeScreen.tsx'
import { useCopy } from '../../ui/copy.ts'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { Facts, Section } from '../../ui/parts.tsx'
import { QrPicture } from '../../ui/QrPicture.tsx'
import { JoinButton } from './JoinButton.tsx'

const words = texts({
  en: {
    about: 'About',
    description: 'Description',
    members: 'Members',
    ofLimit: (n: number, limit: number) => `${number(n)} of at most ${number(limit)}`,
    count: (n: number) => number(n),
    role: 'My role',
    visibility: 'Visibility',
    joining: 'Joining',
    created: 'Created',
    owns: 'Owns',
    things: (n: number, name: string) => `${name}: ${number(n)}`,
    nothing: 'Nothing yet',
    join: 'Join this organization',
    code: 'Organization code',
    picture: (name: string) => `QR code to join ${name}`,
    show: 'Full screen',
    print: 'Poster',
    copy: 'Copy link',
    page: 'Public page',
    scan: 'Scan to join',
  },
  zh: {
    about: '资料',
    description: '简介',
    members: '成员',
    ofLimit: (n: number, limit: number) => `${number(n)} 人，上限 ${number(limit)} 人`,
    count: (n: number) => `${number(n)} 人`,
    role: '我的角色',
    visibility: '可见范围',
    joining: '加入方式',
    created: '创建时间',
    owns: '拥有',
    things: (n: number, name: string) => `${name}：${number(n)}`,
    nothing: '暂无',
    join: '加入此组织',
    code: '组织码',
    picture: (name: string) => `加入${name}的二维码`,
    show: '全屏显示',
    print: '海报',
    copy: '复制链接',
    page: '公开页面',
    scan: '扫码加入',
  },
})

export function Overview({ org, stats }: { org: Organization; stats: OrganizationStats | undefined }) {
  const t = useTexts(words)
  const may = useMay()
  const isMember = org.ownerId !== null
  const visibilityOf = useEnum('orgVisibility')
  const policyOf = useEnum('joinPolicy')
  const resources = useTexts(resourceWords)
  const owned = stats?.resources.filter(({ count }) => count > 0) ?? []
  return (
    <Box
      sx={{
        display: 'grid',
        columnGap: 2,
        alignItems: 'start',
        gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'minmax(0, 1fr) 380px' },
      }}
    >
      <Section title={t.about}>
        <Facts
          items={[
            [t.description, org.description && <Box sx={{ whiteSpace: 'pre-line' }}>{org.description}</Box>],
            [t.role, org.roleName],
            [t.members, isMember ? t.ofLimit(org.memberCount, org.memberLimit) : t.count(org.memberCount)],
            [t.visibility, visibilityOf(org.visibility)],
            [t.joining, policyOf(org.joinPolicy)],
            [
              t.owns,
              stats === undefined ? null : owned.length === 0 ? (
                t.nothing
              ) : (
                <Box component="ul" sx={{ m: 0, pl: 2.5 }}>
                  {owned.map(({ name, count }) => (
                    <li key={name}>{t.things(count, resources[name] ?? name)}</li>
                  ))}
                </Box>
              ),
            ],
            [t.created, date(org.createdAt)],
          ]}
        />
      </Section>
      {!isMember ? (
        <Section title={t.join}>
          <JoinButton org={org} isLarge />
        </Section>
      ) : (
        may('orgs.qrcode', org) && org.joinPolicy !== 'INVITE' && <JoinCode org={org} />
      )}
    </Box>
  )
}

export function JoinCode({ org }: { org: Organization }) {
  const t = useTexts(words)
  const copy = useCopy()
  const { data } = useCall('orgs.qrcode', { params: { id: org.id } })
  if (data === undefined) return null
  const { publicUrl: content } = data
  return (
    <Section title={t.code}>
      <Stack spacing={1.5} sx={{ alignItems: 'center' }}>
        <QrPicture content={content} alt={t.picture(org.name)} width={220} sx={{ borderRadius: 1 }} />
        <Typography sx={{ fontFamily: 'monospace', fontSize: '1.5rem', letterSpacing: 3, fontWeight: 600 }}>
          {org.code}
        </Typography>
        <AddressWarning />
        <Box sx={{ display: 'grid', gridTemplateColumns: '1fr 1fr', gap: 1, width: '100%' }}>
          <DialogButton label={t.show} icon={<Fullscreen />} variant="outlined">
            {(close) => (
              <CodeScreen
                content={content}
                alt={t.picture(org.name)}
                title={org.name}
                text={labelled(t.scan, org.code)}
                onClose={close}
              />
            )}
          </DialogButton>
          <Button startIcon={<Print />} component={Link} to={`/orgs/${org.id}/poster`} variant="outlined">
            {t.print}
          </Button>
          <Button
            startIcon={<ContentCopy />}
            onClick={() => copy(new URL(`/console/join?code=${org.code}`, content).href)}
            variant="outlined"
          >
            {t.copy}
          </Button>
          <Button startIcon={<OpenInNew />} href={`/public/orgs/${org.code}`} target="_blank" variant="outlined">
            {t.page}
          </Button>
        </Box>
      </Stack>
    </Section>
  )
}
