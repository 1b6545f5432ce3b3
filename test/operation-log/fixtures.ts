/** The logged writes of all domains. */

import { logged as chat } from '../chat/logged.ts'
import type { LoggedFixture } from './logged-fixture.ts'

export const LOGGED: readonly LoggedFixture[] = [chat]
