/** Who invites a stranger that has opened a link to join: what the public page of the organization shows. */

import { Card, CardContent, Typography } from '@mui/material'

import { useCall } from '../api/hooks.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { Named } from '../ui/Portrait.tsx'

const words = texts({
  en: {
    title: (name: string) => `${name} invites you`,
    members: (n: number) => (n === 1 ? '1 member' : `${n} members`),
    text: 'Sign in or create an account to join.',
  },
  zh: {
    title: (name: string) => `${name} 邀请你加入`,
    members: (n: number) => `${n} 名成员`,
    text: '登录或注册后即可加入。',
  },
})

/** Nothing for a code that no public organization has: the page after the sign-in says so. */
export default function Invitation({ code }: { code: string }) {
  const t = useTexts(words)
  const { data: org } = useCall('orgs.public', { params: { code } })
  if (org === undefined) return null
  return (
    <Card component="section" sx={{ width: '100%', maxWidth: 400, mb: 2 }}>
      <CardContent sx={{ '&:last-child': { pb: 2 } }}>
        <Named name={org.name} url={org.avatarUrl} size={56} isOrganization details={t.members(org.memberCount)}>
          <Typography variant="h2">{t.title(org.name)}</Typography>
        </Named>
        <Typography variant="body2" color="text.secondary" sx={{ mt: 1.5 }}>
          {t.text}
        </Typography>
      </CardContent>
    </Card>
  )
}
