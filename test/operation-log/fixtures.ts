/** The logged writes of all domains. */

import { logged as access } from '../access/logged.ts'
import { logged as accountRecords } from '../accounts/logged-records.ts'
import { logged as accounts } from '../accounts/logged.ts'
import { logged as activities } from '../activities/logged.ts'
import { logged as agreements } from '../agreements/logged.ts'
import { logged as album } from '../album/logged.ts'
import { logged as apiKeys } from '../api-keys/logged.ts'
import { logged as appUpdates } from '../app-updates/logged.ts'
import { logged as assets } from '../assets/logged.ts'
import { logged as backups } from '../backups/logged.ts'
import { logged as chat } from '../chat/logged.ts'
import { logged as files } from '../files/logged.ts'
import { logged as metadata } from '../metadata/logged.ts'
import { logged as notifications } from '../notifications/logged.ts'
import { logged as oidc } from '../oidc/logged.ts'
import { logged as orgs } from '../orgs/logged.ts'
import { logged as people } from '../people/logged.ts'
import { logged as qrCodes } from '../qr-codes/logged.ts'
import { logged as server } from '../server/logged.ts'
import { logged as settings } from '../settings/logged.ts'
import { logged as shares } from '../shares/logged.ts'
import { logged as webhooks } from '../webhooks/logged.ts'
import type { LoggedFixture } from './logged-fixture.ts'

export const LOGGED: readonly LoggedFixture[] = [
  access,
  accountRecords,
  accounts,
  activities,
  agreements,
  album,
  apiKeys,
  appUpdates,
  assets,
  backups,
  chat,
  files,
  metadata,
  notifications,
  oidc,
  orgs,
  people,
  qrCodes,
  server,
  settings,
  shares,
  webhooks,
]
