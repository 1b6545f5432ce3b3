/** The areas of administrators. */

import type { Area } from '../areas/area.ts'
import { access } from './access/index.ts'
import { address } from './address/index.ts'
import { apiKeysAdmin } from './api-keys/index.ts'
import { backups } from './backups/index.ts'
import { adminContent } from './content/index.ts'
import { dashboard } from './dashboard/index.ts'
import { linksAdmin } from './links/index.ts'
import { loginRecords } from './login-records/index.ts'
import { adminMessages } from './messages/index.ts'
import { adminMetadata } from './metadata/index.ts'
import { nicknameWords } from './nickname-words/index.ts'
import { operationLog } from './operation-log/index.ts'
import { orgsAdmin } from './orgs/index.ts'
import { serverLog } from './server-log/index.ts'
import { server } from './server/index.ts'
import { sessionsAdmin } from './sessions/index.ts'
import { settings } from './settings/index.ts'
import { setup } from './setup/index.ts'
import { signIn } from './sign-in/index.ts'
import { site } from './site/index.ts'
import { users } from './users/index.ts'
import { webhooksAdmin } from './webhooks/index.ts'

export const adminAreas: readonly Area[] = [
  access,
  address,
  adminContent,
  adminMessages,
  adminMetadata,
  apiKeysAdmin,
  backups,
  dashboard,
  webhooksAdmin,
  linksAdmin,
  loginRecords,
  nicknameWords,
  operationLog,
  orgsAdmin,
  server,
  serverLog,
  sessionsAdmin,
  settings,
  setup,
  signIn,
  site,
  users,
]
