/** The areas of the console. Each helper of the menu and of react-admin reads this list. */

import { access } from './access/index.ts'
import { account } from './account/index.ts'
import { activities } from './activities/index.ts'
import { adminContent } from './admin-content/index.ts'
import { adminMessages } from './admin-messages/index.ts'
import { adminMetadata } from './admin-metadata/index.ts'
import { album } from './album/index.ts'
import type { Area } from './area.ts'
import { assets } from './assets/index.ts'
import { backups } from './backups/index.ts'
import { chats } from './chats/index.ts'
import { codes } from './codes/index.ts'
import { contacts } from './contacts/index.ts'
import { dashboard } from './dashboard/index.ts'
import { linksAdmin } from './links-admin/index.ts'
import { loginRecords } from './login-records/index.ts'
import { notifications } from './notifications/index.ts'
import { operationLog } from './operation-log/index.ts'
import { orgsAdmin } from './orgs-admin/index.ts'
import { orgs } from './orgs/index.ts'
import { scan } from './scan/index.ts'
import { serverLog } from './server-log/index.ts'
import { sessionsAdmin } from './sessions-admin/index.ts'
import { settings } from './settings/index.ts'
import { users } from './users/index.ts'
import { nicknameWords } from './words/index.ts'

export const areas: readonly Area[] = [
  access,
  account,
  activities,
  adminContent,
  adminMessages,
  adminMetadata,
  album,
  assets,
  backups,
  chats,
  codes,
  contacts,
  dashboard,
  linksAdmin,
  loginRecords,
  nicknameWords,
  notifications,
  operationLog,
  orgs,
  orgsAdmin,
  scan,
  serverLog,
  sessionsAdmin,
  settings,
  users,
]
