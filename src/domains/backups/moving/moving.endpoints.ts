import type { AppContext } from '#context'
import { checkSetupLink } from '#domains/accounts/index.ts'
import { type Caller, endpoint, open } from '#http/endpoint.ts'
import { AppError } from '#http/errors.ts'
import { languageQuery } from '#http/pages.ts'
import { Model, Raw, Type } from '#http/schema.ts'

import { find, show } from '../backups.service.ts'
import { comparison } from '../restores/preview.service.ts'
import {
  checkingPage,
  choosePage,
  failedText,
  movedPage,
  previewPage,
  runningPage,
  unusablePage,
  type Visit,
} from './moving.page.ts'
import { problemOf, receiveForSetup, restoreForSetup, restoreOfLink } from './moving.service.ts'

const tag = 'Setup'
/** Bytes: no limit but the free space. */
const LARGEST = 2 ** 50

const Token = Raw(100, 1, {
  description: 'From the setup link',
  examples: ['Zk3q0sJ9xW7vT2bN5yLrAeHc8uGdPmKf4iOa1nQwXEo'],
})
const Name = Raw(128, 1, { description: 'Of the backup', examples: ['tessera-20300102-030405.tar.zst'] })
const LINK = 'The link has been used or has expired.'

const visitOf = (ctx: AppContext, request: Request, { locale }: Caller, token: string): Visit => ({
  ctx,
  token,
  locale,
  language: languageQuery(request).replace('?', '&'),
})

async function showPage(ctx: AppContext, visit: Visit, name: string | undefined): Promise<Response> {
  const { token, locale } = visit
  const begun = restoreOfLink(ctx, token)
  if (begun?.state === 'DONE') return movedPage({ ...begun.setup!, here: ctx.config.publicUrl }, visit)
  if (begun?.state === 'RUNNING') return runningPage(visit)
  await checkSetupLink(ctx, token)
  if (name === undefined) return choosePage(visit, begun && (problemOf(begun, locale) ?? failedText(locale)))
  const view = await show(ctx, name, locale)
  if (view.verification.state === 'RUNNING') return checkingPage(view, visit)
  if ((await find(ctx, name)).note?.facts === undefined || view.verification.state !== 'GOOD')
    return unusablePage(view, visit)
  return previewPage(name, await comparison(ctx, name, locale), visit)
}

async function receive(ctx: AppContext, visit: Visit, request: Request): Promise<Response> {
  try {
    const name = await receiveForSetup(ctx, visit.token, request)
    const location = `/setup/restore?token=${encodeURIComponent(visit.token)}&name=${encodeURIComponent(name)}${visit.language}`
    return new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } })
  } catch (error) {
    if (!(error instanceof AppError) || ![400, 413].includes(error.status)) throw error
    return choosePage(visit, error.text[visit.locale], error.status)
  }
}

export const movingEndpoints = [
  endpoint({
    id: 'moving.page',
    method: 'GET',
    path: '/setup/restore',
    summary: 'Show the page that restores a backup on a new server',
    description:
      'With the setup link. Shows the form for the file, then what is in it, and after the restore who can sign in.',
    tag,
    access: open,
    checksSecret: true,
    answers: 'text/html',
    query: Type.Object({ token: Token, name: Type.Optional(Name) }),
    refuses: { 403: LINK, 404: 'There is no such backup.' },
    run: ({ ctx, query: { token, name }, request, caller }) =>
      showPage(ctx, visitOf(ctx, request, caller, token), name),
  }),
  endpoint({
    id: 'moving.upload',
    method: 'POST',
    path: '/setup/restore',
    summary: 'Upload a backup to a new server',
    description:
      'Sent by the page: a form with the field `file`. Redirects to the page that shows the result of the check.',
    tag,
    access: open,
    checksSecret: true,
    answers: 'text/html',
    query: Type.Object({ token: Token }),
    streamsBody: true,
    maxBody: LARGEST,
    refuses: {
      400: 'The file is no backup, or another one is being checked.',
      403: LINK,
      413: 'The file does not fit on the disk.',
    },
    run: ({ ctx, query: { token }, request, caller }) => receive(ctx, visitOf(ctx, request, caller, token), request),
  }),
  endpoint({
    id: 'moving.start',
    method: 'POST',
    path: '/setup/restore/start',
    summary: 'Restore a backup on a new server',
    description: 'Sent by the page. The server then restarts with the data of the backup.',
    tag,
    access: open,
    checksSecret: true,
    answers: 'text/html',
    acceptsForm: true,
    body: Model('MovingForm', { token: Token, name: Name }),
    refuses: {
      400: 'The backup was not verified, or cannot be restored here.',
      403: LINK,
      404: 'There is no such backup.',
    },
    run: async ({ ctx, body: { token, name }, request, caller }) => {
      await restoreForSetup(ctx, token, name, caller)
      return runningPage(visitOf(ctx, request, caller, token))
    },
  }),
]
