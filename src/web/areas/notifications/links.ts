/** Words of the types of notifications, and the page of the web application that each notification is about. */

import type { Notification, NotificationType } from '../../api/types.ts'
import { texts } from '../../i18n/words.ts'

const en: Record<NotificationType, string> = {
  ORG_INVITE: 'Invitation',
  ORG_APPROVED: 'Joined',
  ORG_REJECTED: 'Request declined',
  ORG_APPROVAL_REQUEST: 'Request to join',
  ORG_JOIN_LINK: 'Link to join',
  ORG_TRANSFER: 'Ownership',
  ORG_REMOVED: 'Removed',
  ORG_DISSOLVED: 'Dissolved',
  ACCOUNT_LINK: 'Linked account',
  ASSET: 'Asset',
  ACTIVITY: 'Activity',
  SYSTEM: 'Account and server',
}
const zh: Record<NotificationType, string> = {
  ORG_INVITE: '组织邀请',
  ORG_APPROVED: '加入成功',
  ORG_REJECTED: '申请被拒',
  ORG_APPROVAL_REQUEST: '加入申请',
  ORG_JOIN_LINK: '加入链接',
  ORG_TRANSFER: '所有权转让',
  ORG_REMOVED: '移出组织',
  ORG_DISSOLVED: '组织解散',
  ACCOUNT_LINK: '关联账号',
  ASSET: '资产',
  ACTIVITY: '活动',
  SYSTEM: '账号与系统',
}
export const typeWords = texts({ en, zh })

export interface Target {
  /** Path below `/console`. */
  readonly to: string
  /** Of a list: the organization whose workspace it needs; null for the user's own. */
  readonly orgId?: number | null
}

/** The page that a notification is about. Undefined if its text is all there is. */
export function targetOf({ type, data }: Pick<Notification, 'type' | 'data'>): Target | undefined {
  const values = data as {
    orgId?: number | null
    assetId?: number
    inventoryId?: number
    reservationId?: number
    supplyId?: number
    planId?: number
    qrCodeId?: number
    foundReportId?: number
    activityId?: number
    event?: string
    userId?: number
  }
  if (values.foundReportId !== undefined) return { to: `/found/${values.foundReportId}` }
  if (values.activityId !== undefined) return { to: `/activities/${values.activityId}` }
  switch (type) {
    case 'ORG_INVITE':
    case 'ORG_JOIN_LINK':
    case 'ORG_REJECTED':
      return { to: '/orgs' }
    case 'ORG_APPROVAL_REQUEST':
    case 'ORG_APPROVED':
    case 'ORG_TRANSFER':
      return { to: `/orgs/${values.orgId}` }
    case 'ACCOUNT_LINK':
      return { to: '/account/links' }
    case 'ASSET':
      if (values.supplyId !== undefined) return { to: `/assets/supplies/${values.supplyId}` }
      if (values.inventoryId !== undefined) return { to: `/assets/inventories/${values.inventoryId}` }
      if (values.reservationId !== undefined) return { to: `/reservations/${values.reservationId}` }
      if (values.planId !== undefined && values.assetId === undefined)
        return { to: '/assets/maintenance', orgId: values.orgId ?? null }
      return values.assetId === undefined
        ? { to: '/assets', orgId: values.orgId ?? null }
        : { to: `/assets/${values.assetId}` }
    case 'SYSTEM':
      if (values.event === 'RESET_CODE_MADE') return { to: '/account/security?resetCode' }
      if (values.event === 'RESET_CODE_WITHDRAWN') return { to: `/admin/users/${values.userId}/show` }
      if (values.event?.startsWith('ORG_')) return { to: `/orgs/${values.orgId}` }
      if (values.event?.startsWith('QR_CODE_')) return { to: `/codes/${values.qrCodeId}` }
      return values.event === undefined ? undefined : { to: '/account/history' }
    default:
      return undefined
  }
}
