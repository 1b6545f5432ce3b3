/** Copies a database in a process of its own, as `tessera backup` does beside a server. Arguments: the file and the copy. */

import { copySqlite } from '#db/maintenance.ts'

const [file = '', copy = ''] = process.argv.slice(2)
copySqlite(file, copy)
