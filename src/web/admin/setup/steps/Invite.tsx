import { PersonAdd } from '@mui/icons-material'
import { Alert, Typography } from '@mui/material'

import { useCall } from '../../../api/hooks.ts'
import { InviteDialog } from '../../../areas/orgs/InviteDialog.tsx'
import { JoinCode } from '../../../areas/orgs/Overview.tsx'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useMay, useSession } from '../../../session/session.ts'
import { DialogButton } from '../../../ui/DialogButton.tsx'
import { Section } from '../../../ui/parts.tsx'
import { StepActions, type StepProps } from '../step.tsx'

const words = texts({
  en: {
    about: (name: string) => `Who opens this link or scans this code can join “${name}”.`,
    closed: (name: string) => `“${name}” has no link: its members are invited by name once they have an account.`,
    noOrg: 'Members belong to an organization. Go back to create one, or skip this step.',
    noRegistration: 'Registration is closed: make their accounts in Administration → Users first.',
    invite: 'Invite people who have an account',
  },
  zh: {
    about: (name: string) => `打开此链接或扫描此二维码的人可以加入“${name}”。`,
    closed: (name: string) => `“${name}”没有加入链接：对方拥有账号后，可按名称邀请。`,
    noOrg: '成员属于某个组织。请返回创建组织，或跳过此步。',
    noRegistration: '注册已关闭：请先在“管理 → 用户”中为其创建账号。',
    invite: '邀请已有账号的人',
  },
})

export function Invite({ step }: { step: StepProps }) {
  const t = useTexts(words)
  const may = useMay()
  const { orgs } = useSession()
  const { data: server } = useCall('server.get')
  // The one that was made last.
  const org = orgs.filter((one) => may('orgs.invite', one)).toSorted((a, b) => b.id - a.id)[0]
  if (org === undefined)
    return (
      <Section>
        <Typography>{t.noOrg}</Typography>
        <StepActions step={{ ...step, finish: step.skip }} />
      </Section>
    )
  const hasLink = org.joinPolicy !== 'INVITE' && may('orgs.qrcode', org)
  return (
    <>
      <Typography sx={{ mb: 2, overflowWrap: 'anywhere' }}>
        {hasLink ? t.about(org.name) : t.closed(org.name)}
      </Typography>
      {server?.registration === 'INVITATION' && (
        <Alert severity="info" sx={{ mb: 2 }}>
          {t.noRegistration}
        </Alert>
      )}
      {hasLink && <JoinCode org={org} />}
      <DialogButton label={t.invite} icon={<PersonAdd />} variant="outlined">
        {(close) => <InviteDialog org={org} onClose={close} />}
      </DialogButton>
      <StepActions step={step} />
    </>
  )
}
