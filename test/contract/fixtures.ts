/** The isolation fixtures of all domains. A later one may build on rows of the earlier ones. */

import { isolation as accounts } from '../accounts/isolation.ts'
import { isolation as activities } from '../activities/isolation.ts'
import { isolation as agreements } from '../agreements/isolation.ts'
import { isolation as album } from '../album/isolation.ts'
import { isolation as apiKeys } from '../api-keys/isolation.ts'
import { isolation as assets } from '../assets/isolation.ts'
import { isolation as chat } from '../chat/isolation.ts'
import { isolation as contacts } from '../contacts/isolation.ts'
import { isolation as files } from '../files/isolation.ts'
import { isolation as found } from '../found/isolation.ts'
import { isolation as metadata } from '../metadata/isolation.ts'
import { isolation as notifications } from '../notifications/isolation.ts'
import { isolation as oidc } from '../oidc/isolation.ts'
import { isolation as orgs } from '../orgs/isolation.ts'
import { isolation as push } from '../push/isolation.ts'
import { isolation as qrCodes } from '../qr-codes/isolation.ts'
import { isolation as sync } from '../sync/isolation.ts'
import { isolation as webhooks } from '../webhooks/isolation.ts'
import type { IsolationFixture } from './isolation-fixture.ts'

export const FIXTURES: readonly IsolationFixture[] = [
  accounts,
  qrCodes,
  orgs,
  files,
  notifications,
  agreements,
  album,
  assets,
  found,
  metadata,
  activities,
  contacts,
  chat,
  push,
  sync,
  apiKeys,
  oidc,
  webhooks,
]
