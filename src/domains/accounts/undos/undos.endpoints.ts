import { endpoint, open } from '#http/endpoint.ts'
import { Model, Raw, Type } from '#http/schema.ts'

import { UNDO_PATH } from '../accounts.model.ts'
import { undoDonePage, undoPage } from './undos.page.ts'
import { checkUndoLink, restoreEmail } from './undos.service.ts'

const tag = 'Phone and e-mail'

const Token = Raw(100, 1, {
  description: 'From the link in the notice',
  examples: ['Zk3q0sJ9xW7vT2bN5yLrAeHc8uGdPmKf4iOa1nQwXEo'],
})
const refuses = { 403: 'The link has been used or has expired.' } as const

export const undoEndpoints = [
  endpoint({
    id: 'undos.page',
    method: 'GET',
    path: UNDO_PATH,
    summary: 'Show the page that binds a replaced e-mail again',
    description:
      'For 72 hours, with the link in the notice that the replaced or unbound address got. Opening the page changes nothing.',
    tag,
    access: open,
    checksSecret: true,
    answers: 'text/html',
    query: Type.Object({ token: Token }),
    refuses,
    run: async ({ ctx, query, caller }) => {
      const email = await checkUndoLink(ctx, query.token)
      return undoPage(ctx, query.token, email, caller)
    },
  }),
  endpoint({
    id: 'undos.submit',
    method: 'POST',
    path: UNDO_PATH,
    summary: 'Bind a replaced e-mail again',
    description:
      'Sent by the page. Removes the password and the phones and e-mails that were bound since the change or in the 72 hours before ' +
      'it, and ends all sessions. The owner then resets the password with a code.',
    tag,
    access: open,
    checksSecret: true,
    answers: 'text/html',
    acceptsForm: true,
    body: Model('UndoForm', { token: Token }),
    refuses,
    run: async ({ ctx, body, caller }) => undoDonePage(ctx, await restoreEmail(ctx, body.token, caller), caller),
  }),
]
