/** Collects what the front page shows: at most two queries of an index, and one less once the server is set up. */

import { type AppContext, perContext } from '#context'
import { hasAdministrator } from '#domains/accounts/index.ts'
import { type CurrentAgreement, currentAgreements } from '#domains/agreements/index.ts'
import { type AppUpdateView, findLatest } from '#domains/app-updates/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import { addressOf } from '#http/caller.ts'
import { languageQuery } from '#http/pages.ts'

export interface Front {
  /** The host and port in the address that the visitor opened. */
  readonly host: string
  readonly isSetUp: boolean
  /** Whether visitors can create an account. */
  readonly isOpen: boolean
  /** The latest version of the app. */
  readonly app: Pick<AppUpdateView, 'versionName' | 'downloadUrl' | 'fileSize'> | null
  readonly agreements: readonly Pick<CurrentAgreement, 'type' | 'title'>[]
  /** The query of links that keeps the language that the visitor chose. */
  readonly inLanguage: string
}

/** A server that is set up remains so: the role of its first administrator cannot be revoked. */
const setUp = perContext(() => ({ known: false }))

async function isSetUp(ctx: AppContext): Promise<boolean> {
  const state = setUp(ctx)
  return (state.known ||= await hasAdministrator(ctx.db.read))
}

export async function frontOf(ctx: AppContext, request: Request): Promise<Front> {
  const [ready, isOpen, app, agreements] = await Promise.all([
    isSetUp(ctx),
    getSetting(ctx, 'registration.enabled'),
    findLatest(ctx),
    currentAgreements(ctx),
  ])
  return {
    host: addressOf(request).host,
    isSetUp: ready,
    isOpen,
    app,
    agreements: agreements.map(({ answer: { data } }) => data),
    inLanguage: languageQuery(request),
  }
}
