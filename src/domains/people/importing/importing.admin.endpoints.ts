import { getSetting, LARGEST_UPLOAD } from '#domains/settings/index.ts'
import { endpoint, platform } from '#http/endpoint.ts'
import { FORM_OVERHEAD } from '#http/form.ts'

import { IMPORTS, ImportUsers, MAX_ROWS, UsersImported } from './importing.model.ts'
import { importUsers } from './importing.service.ts'

export const importAdminEndpoints = [
  endpoint({
    id: 'admin.users.import',
    method: 'POST',
    path: '/api/admin/users/import',
    summary: 'Import users from a spreadsheet',
    description:
      `Takes .xlsx and CSV with a header row and at most ${MAX_ROWS.toLocaleString('en')} rows, with the columns \`username\`, \`nickname\`, \`email\`, ` +
      '`phone`, `organization` (code, or a name that only one has), `role` and `language`. E-mail and phone are names to sign in with until the ' +
      'person proves them. Either all rows are written or none. With `dryRun` nothing is written, and the answer lists the errors. Rows of users ' +
      'whom the same file has made before are unchanged. A user has one import at a time; further requests get 429 with code 4022.',
    tag: 'Users',
    access: platform('user:create'),
    logs: 'USER_IMPORT',
    body: ImportUsers,
    acceptsFile: { maxBytes: (ctx) => getSetting(ctx, 'upload.maxBytes'), required: true },
    maxBody: LARGEST_UPLOAD + FORM_OVERHEAD,
    budgets: [IMPORTS],
    data: UsersImported,
    ignoresKey: 'The answer leads to secrets, and a repeated file makes nothing new.',
    refuses: {
      400: 'The file is damaged or too large, lacks a column, or has rows with errors, which `details` lists; or the server sends no mails.',
      403: 'Rows name organizations, and you may not add members to them (`org_member:create`); or an API key asks for start codes (code 4037).',
      415: 'The file is neither an .xlsx workbook nor CSV.',
    },
    run: ({ ctx, actor, body, upload, caller }) => importUsers(ctx, actor, body, upload, caller),
  }),
]
