/** Helpers for the tests of agreements. */

import type { AgreementType } from '#db/schema/agreements.ts'
import type { AgreementView, PublishAgreement } from '#domains/agreements/agreements.model.ts'

import { ok, type Person, type TestServer } from '../harness/index.ts'

export async function publish(
  admin: Person,
  type: AgreementType = 'SERVICE',
  fields: Partial<PublishAgreement> = {},
): Promise<AgreementView> {
  const body = { type, title: 'Terms of service', content: 'Be **kind**.', ...fields }
  return ok(await admin.call('agreements.publish', { body })).data
}

export const activate = (admin: Person, { id }: { id: number }) => admin.call('agreements.activate', { params: { id } })

export const accept = (user: Person, { type, version }: { type: AgreementType; version: number }) =>
  user.call('agreements.accept', { body: { type, version } })

/** All versions, newest first. */
export const versions = async (admin: Person, type: AgreementType): Promise<AgreementView[]> =>
  ok(await admin.call('agreements.list', { query: { type, size: 100 } })).data.items

/** The agreements that the user has to accept, as `TYPE version`. */
export const pending = async (user: Person): Promise<string[]> =>
  ok(await user.call('profile.get')).data.pendingAgreements.map(({ type, version }) => `${type} ${version}`)

/** Counts the reads of the agreement tables. */
export function countReads(server: TestServer): { count: number; stop(): void } {
  const { runner } = server.ctx.db.read as unknown as { runner: { rows(sql: string, params: unknown[]): unknown } }
  const original = runner.rows
  const counter = { count: 0, stop: () => void (runner.rows = original) }
  runner.rows = (sql, params) => {
    if (/"agreement/.test(sql)) counter.count += 1
    return original.call(runner, sql, params)
  }
  return counter
}
