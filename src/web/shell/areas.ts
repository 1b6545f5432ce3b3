/** All areas of the web application. The menu, the pages and the tables of administrators are read from this list. */

import { adminAreas } from '../admin/index.ts'
import type { Area } from '../areas/area.ts'
import { userAreas } from '../areas/index.ts'

export const areas: readonly Area[] = [...userAreas, ...adminAreas]
