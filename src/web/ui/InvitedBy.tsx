/** Who invites the holder of a link in a mail, and to which organization. */

import { Typography } from '@mui/material'

import type { DataOf } from '../api/types.ts'
import { date } from '../i18n/format.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { Named } from './Portrait.tsx'

const words = texts({
  en: {
    title: (inviter: string, org: string) => `${inviter} invites you to ${org}`,
    members: (n: number) => (n === 1 ? '1 member' : `${n} members`),
    sent: (email: string, until: string) => `Sent to ${email}, valid until ${until}`,
  },
  zh: {
    title: (inviter: string, org: string) => `${inviter} 邀请你加入 ${org}`,
    members: (n: number) => `${n} 名成员`,
    sent: (email: string, until: string) => `已发送至 ${email}，有效期至 ${until}`,
  },
})

export function InvitedBy({ invitation }: { invitation: DataOf<'orgs.mailInvitation'> }) {
  const t = useTexts(words)
  const { org, inviter, email, expiresAt } = invitation
  const members = org.memberCount === null ? undefined : t.members(org.memberCount)
  return (
    <>
      <Named name={org.name} url={org.avatarUrl} size={56} isOrganization details={members}>
        <Typography variant="h2">{t.title(inviter, org.name)}</Typography>
      </Named>
      <Typography variant="body2" color="text.secondary" sx={{ mt: 1.5 }}>
        {t.sent(email, date(expiresAt))}
      </Typography>
    </>
  )
}
