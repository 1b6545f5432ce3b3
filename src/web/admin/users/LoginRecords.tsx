/** The sign-ins and account events of one user. */

import { usePages } from '../../api/pages.ts'
import { useEnum } from '../../i18n/enums.ts'
import { dateTime } from '../../i18n/format.ts'
import { failureWords, loginWords } from '../../i18n/login-words.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { Section } from '../../ui/parts.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Status } from '../../ui/Status.tsx'

const words = texts({
  en: { title: 'Login records', empty: 'This user has not signed in yet.' },
  zh: { title: '登录记录', empty: '此用户还没有登录过。' },
})

export function LoginRecords({ userId }: { userId: number }) {
  const t = useTexts(words)
  const events = useTexts(loginWords)
  const failures = useTexts(failureWords)
  const resultOf = useEnum('loginStatus')
  const query = usePages('admin.loginRecords.list', { query: { userId } })
  return (
    <Section>
      <Rows query={query} empty={t.empty} label={t.title} keyOf={({ id }) => id}>
        {({ loginType, status, failureReason, deviceName, ipAddress, city, createdAt }) => (
          <Row
            title={events[loginType]}
            details={[dateTime(createdAt), deviceName, ipAddress, city].filter(Boolean).join(' · ')}
            actions={
              <Status
                tone={status === 'success' ? 'good' : 'bad'}
                text={failureReason === null ? resultOf(status) : (failures[failureReason] ?? failureReason)}
              />
            }
          />
        )}
      </Rows>
    </Section>
  )
}
