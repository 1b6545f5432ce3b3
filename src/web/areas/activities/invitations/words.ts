/** Words of the list of invitations and of its dialogs. */

import type { ActivityInvitation } from '../../../api/types.ts'
import { common } from '../../../i18n/common.ts'
import { labelled } from '../../../i18n/format.ts'
import { texts } from '../../../i18n/words.ts'
import type { Tone } from '../../../ui/Status.tsx'

export const invitationWords = texts({
  en: {
    ...common.en,
    invitations: 'Invitations',
    invite: 'Invite',
    copyLink: 'Copy link',
    states: { OPEN: 'Open', USED: 'Used', EXPIRED: 'Expired', REVOKED: 'Revoked' },
    mails: {
      QUEUED: 'Mail is being sent',
      SENT: 'Mailed',
      FAILED: 'The mail could not be delivered',
      SKIPPED: 'Not mailed',
    },
    reasons: {
      OPTED_OUT: 'the owner of the address wants no invitations',
      SUPPRESSED: 'mail servers refused this address',
      TOO_MANY: 'the address had three invitations today',
      ENDED: 'the invitation had ended',
    },
    withoutName: 'Without a name',
    overCapacity: 'Past the capacity',
  },
  zh: {
    ...common.zh,
    invitations: '邀请',
    invite: '邀请',
    copyLink: '复制链接',
    states: { OPEN: '未使用', USED: '已使用', EXPIRED: '已过期', REVOKED: '已撤销' },
    mails: { QUEUED: '邮件发送中', SENT: '已发邮件', FAILED: '邮件无法送达', SKIPPED: '未发邮件' },
    reasons: {
      OPTED_OUT: '该邮箱的所有者不接收邀请',
      SUPPRESSED: '邮件服务器拒收该邮箱的邮件',
      TOO_MANY: '该邮箱今天已收到三封邀请',
      ENDED: '邀请已失效',
    },
    withoutName: '未填姓名',
    overCapacity: '满员也可报名',
  },
})

export type InvitationState = ActivityInvitation['state']
export const STATES = ['OPEN', 'USED', 'EXPIRED', 'REVOKED'] as const satisfies readonly InvitationState[]
export const TONES: Record<InvitationState, Tone> = {
  OPEN: 'running',
  USED: 'good',
  EXPIRED: 'warning',
  REVOKED: 'neutral',
}

/** Whom the invitation is for. */
export const titleOf = ({ name, email }: ActivityInvitation, t: { readonly withoutName: string }): string =>
  name ?? email ?? t.withoutName

export function mailText({ mail }: ActivityInvitation, t: (typeof invitationWords)['en']): string | undefined {
  if (mail === null) return undefined
  return mail.reason === null ? t.mails[mail.state] : labelled(t.mails[mail.state], t.reasons[mail.reason])
}
