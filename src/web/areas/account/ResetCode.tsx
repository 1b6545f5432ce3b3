/** For users who were notified that an administrator made a reset code for their account: they may not have asked for it. */

import { useSearchParams } from 'react-router'

import { texts, useTexts } from '../../i18n/words.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { Section } from '../../ui/parts.tsx'

const words = texts({
  en: {
    title: 'Reset code',
    text: 'An administrator made a code with which a new password can be set for your account.',
    withdraw: 'I did not ask for this',
    question: 'Withdraw the reset code?',
    consequence:
      'The code stops working at once, and the system administrators are notified that you did not ask for it.',
    done: 'The code no longer works.',
  },
  zh: {
    title: '重置码',
    text: '管理员生成了可为你的账号设置新密码的代码。',
    withdraw: '我没有要求',
    question: '撤销重置码？',
    consequence: '代码会立即失效，系统管理员会得知你未曾申请。',
    done: '代码已失效。',
  },
})

/** Only on the way from the notification. */
export function ResetCode() {
  const t = useTexts(words)
  const [params, setParams] = useSearchParams()
  if (!params.has('resetCode')) return null
  return (
    <Section title={t.title} text={t.text}>
      <ActionButton
        operation="auth.withdrawCode"
        input={{}}
        label={t.withdraw}
        title={t.question}
        text={t.consequence}
        done={t.done}
        variant="outlined"
        refreshes={['notifications']}
        onDone={() => setParams({}, { replace: true })}
      />
    </Section>
  )
}
