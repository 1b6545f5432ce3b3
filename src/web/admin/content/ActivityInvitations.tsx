/** Personal invitations to an activity, for administrators, who can revoke them. */

import { Box, Typography } from '@mui/material'

import { usePages } from '../../api/pages.ts'
import { invitationWords, mailText, titleOf, TONES } from '../../areas/activities/invitations/words.ts'
import { dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { Section } from '../../ui/parts.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Status } from '../../ui/Status.tsx'

const words = texts({
  en: {
    none: 'None.',
    revoke: 'Revoke',
    ask: (name: string) => `Revoke the invitation of ${name}?`,
    text: 'Its link and its code no longer work. This cannot be undone.',
    revoked: 'The invitation is revoked.',
  },
  zh: {
    none: '无。',
    revoke: '撤销',
    ask: (name: string) => `撤销 ${name} 的邀请？`,
    text: '链接和邀请码将失效，此操作无法撤销。',
    revoked: '邀请已撤销。',
  },
})

export function ActivityInvitations({ activityId }: { activityId: number }) {
  const t = useTexts(words)
  const names = useTexts(invitationWords)
  const query = usePages('admin.activityInvitations.list', { params: { activityId } })
  return (
    <Box sx={{ mt: 2 }}>
      <Section title={names.invitations}>
        <Rows query={query} label={names.invitations} keyOf={({ id }) => id} empty={t.none}>
          {(invitation) => {
            const { id, name, email, state, createdAt } = invitation
            const title = titleOf(invitation, names)
            return (
              <Row
                title={<Typography sx={{ fontWeight: 600 }}>{title}</Typography>}
                details={[name !== null && email, dateTime(createdAt), mailText(invitation, names)]
                  .filter(Boolean)
                  .join(' · ')}
                actions={
                  <>
                    <Status tone={TONES[state]} text={names.states[state]} />
                    {state === 'OPEN' && (
                      <ActionButton
                        operation="admin.activityInvitations.revoke"
                        input={{ params: { activityId, invitationId: id } }}
                        label={t.revoke}
                        name={`${t.revoke}: ${title}`}
                        title={t.ask(title)}
                        text={t.text}
                        done={t.revoked}
                        refreshes={['admin.activityInvitations', 'operationLog']}
                      />
                    )}
                  </>
                }
              />
            )
          }}
        </Rows>
      </Section>
    </Box>
  )
}
