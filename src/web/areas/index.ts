/** The areas of all users. */

import { account } from './account/index.ts'
import { activities } from './activities/index.ts'
import { album } from './album/index.ts'
import type { Area } from './area.ts'
import { assets } from './assets/index.ts'
import { chats } from './chats/index.ts'
import { codes } from './codes/index.ts'
import { contacts } from './contacts/index.ts'
import { found } from './found/index.ts'
import { notifications } from './notifications/index.ts'
import { orgs } from './orgs/index.ts'
import { scan } from './scan/index.ts'

export const userAreas: readonly Area[] = [
  account,
  activities,
  album,
  assets,
  chats,
  codes,
  contacts,
  found,
  notifications,
  orgs,
  scan,
]
