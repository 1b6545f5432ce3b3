/** Verifies the operation log as it is stored: its rows, its head and its checkpoints. Pure; trusts nothing but the signatures. */

import type { LoggedAction, LoggedFields, LoggedTarget } from '#db/schema/operation-log.ts'

import { FIRST_HASH, hashOf, type Head, type Link, type Signatures } from './operation-log.rules.ts'

/** A row with the column names of the database. Integers may be strings, as PostgreSQL's driver returns them. */
export type Stored = Readonly<Record<string, unknown>>

export interface StoredLog {
  /** All rows of the tables, in the order of their ids. */
  readonly heads: readonly Stored[]
  readonly checkpoints: readonly Stored[]
  /** Rows of the log, whatever their ids. */
  readonly rowCount: number
  /** The rows of the log in the order of their ids. */
  readonly batches: AsyncIterable<readonly Stored[]>
}

/** The id and the hash of a row. */
export interface Witness {
  readonly id: number
  readonly hash: string
}

export interface Expectations {
  /**
   * The last row that was signed with an earlier key. If nothing was signed since, `since` must name the newest row. Without it, the oldest rows may be signed with any other key, and `otherKeyUntil` names
   * the last of them.
   */
  readonly oldKeyUntil?: number | undefined
  /** A row that the log had at some time. */
  readonly since?: Witness | undefined
}

export interface LogReport {
  /** Rows that were read. After a fault, those up to it. */
  readonly rows: number
  /** The newest row that was read, or the last deleted one. */
  readonly newest: Witness | undefined
  readonly head: Witness | undefined
  /** The last row that the retention has deleted. */
  readonly checkpoint: (Witness & { readonly deleted: number }) | undefined
  /** The first thing that is wrong, and the row where it was found. Later rows were not read. */
  readonly fault: { readonly id: number | undefined; readonly message: string } | undefined
  /** The last of the oldest rows that are signed with another key: the key was replaced after it, or they were rewritten. */
  readonly otherKeyUntil: number | undefined
}

class Fault extends Error {
  constructor(
    message: string,
    readonly id?: number,
  ) {
    super(message)
  }
}

const ADVICE = 'the key was replaced, or the rows were rewritten.'

export function verifyLog(stored: StoredLog, sign: Signatures, expectations: Expectations = {}): Promise<LogReport> {
  return new Verification(stored, sign, expectations).run()
}

class Verification {
  readonly #stored: StoredLog
  readonly #sign: Signatures
  readonly #expectations: Expectations
  #rows = 0
  #otherKeyUntil: number | undefined
  #start: Start = { rowId: 0, hash: FIRST_HASH, rowCount: 0 }
  #newest: Witness = { id: 0, hash: FIRST_HASH }
  #head: SignedHead | undefined
  /** True once a row or checkpoint is signed with the present key: all later ones must be. */
  #isSigned = false
  /** True once a row has a signature with its id: rows of earlier versions cannot follow. */
  #hasOwnRow = false
  /** True once the row of `since` was found. */
  #isSince: boolean

  constructor(stored: StoredLog, sign: Signatures, expectations: Expectations) {
    this.#stored = stored
    this.#sign = sign
    this.#expectations = expectations
    const { since } = expectations
    this.#isSince = since === undefined || (since.id === 0 && since.hash === FIRST_HASH)
  }

  async run(): Promise<LogReport> {
    let fault: LogReport['fault']
    try {
      this.#readCheckpoints()
      const head = (this.#head = this.#readHead())
      for await (const batch of this.#stored.batches) for (const row of batch) this.#readRow(row, head)
      this.#checkEnd(head)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      fault = { id: error.id, message: error.message }
    }
    const [start, newest, head] = [this.#start, this.#newest, this.#head]
    return {
      rows: this.#rows,
      newest: newest.id === 0 ? undefined : newest,
      head: head && { id: head.rowId, hash: head.hash },
      checkpoint: start.rowId === 0 ? undefined : { id: start.rowId, hash: start.hash, deleted: start.rowCount },
      fault,
      otherKeyUntil: this.#otherKeyUntil,
    }
  }

  #readCheckpoints(): void {
    for (const [i, row] of this.#stored.checkpoints.entries()) {
      const wrong = (why: string) => new Fault(`Checkpoint ${i + 1} ${why}`)
      const read = fieldsOf(row, CHECKPOINT)
      if (typeof read === 'string') throw wrong(`was edited: ${read}`)
      const checkpoint = { id: read.int('id'), ...startOf(read), createdAt: read.int('created_at') }
      const { rowId, hash, rowCount } = checkpoint
      if (checkpoint.id !== i + 1 || rowId <= this.#start.rowId || rowCount <= this.#start.rowCount)
        throw wrong('does not follow the one before it: checkpoints were deleted, added or edited.')
      if (read.text('signature') === this.#sign.checkpoint(checkpoint)) this.#isSigned = true
      else if (this.#isSigned || !this.#mayHaveOtherKey(rowId))
        throw wrong(`is not signed with the key of this server: the key was replaced, or it was edited.`)
      else this.#noteOtherKey(rowId)
      this.#start = checkpoint
      this.#continueFrom({ id: rowId, hash })
    }
  }

  #readHead(): SignedHead {
    const { heads } = this.#stored
    if (heads.length !== 1) throw new Fault('The head of the log was deleted or repeated.')
    const read = fieldsOf(heads[0]!, HEAD)
    if (typeof read === 'string') throw new Fault(`The head of the log was edited: ${read}`)
    const found: Head = { ...startOf(read), brokenAt: read.intOrNull('broken_at') }
    return { ...found, isSigned: read.int('id') === 1 && read.text('signature') === this.#sign.head(found) }
  }

  #readRow(row: Stored, head: SignedHead): void {
    const read = fieldsOf(row, ROW)
    if (typeof read === 'string') {
      const id = integer(row['id'])
      throw new Fault(`Row ${String(row['id'])} was changed after it was written: ${read}`, id)
    }
    const [id, hash] = [read.int('id'), read.text('hash')]
    const { rowId: deletedUntil } = this.#start
    const wrong = (why: string) => new Fault(`Row ${id} ${why}`, id)
    if (id <= deletedUntil)
      throw wrong(
        deletedUntil === 0
          ? 'was added: ids begin with 1.'
          : `was added: rows up to ${deletedUntil} were deleted by the retention.`,
      )
    if (head.isSigned && id > head.rowId) throw wrong(`was added: the newest row is ${head.rowId}.`)
    const link = linkOf(read)
    if (hashOf(link) !== hash) throw wrong('was changed after it was written.')
    const isEarlier = read.text('signature') === this.#sign.earlierRow(hash)
    const isOwn = read.text('signature') === this.#sign.row(id, hash)
    const newest = this.#newest
    // Ids of earlier versions may have gaps.
    const isNext = link.previousHash === newest.hash && (isOwn ? id === newest.id + 1 : id > newest.id)
    if (!isNext) throw wrong('does not follow the row before it: a row was deleted, added or moved.')
    if (isEarlier ? this.#hasOwnRow : !isOwn && (this.#isSigned || !this.#mayHaveOtherKey(id)))
      throw wrong(`is not signed with the key of this server: ${ADVICE}`)
    if (isOwn || isEarlier) this.#isSigned = true
    else this.#noteOtherKey(id)
    this.#hasOwnRow ||= isOwn
    this.#rows += 1
    this.#continueFrom({ id, hash })
  }

  #mayHaveOtherKey(id: number): boolean {
    const { oldKeyUntil } = this.#expectations
    return oldKeyUntil === undefined || id <= oldKeyUntil
  }

  #noteOtherKey(id: number): void {
    this.#otherKeyUntil = Math.max(this.#otherKeyUntil ?? 0, id)
  }

  #continueFrom(newest: Witness): void {
    this.#newest = newest
    const { since } = this.#expectations
    if (since?.id !== newest.id) return
    if (since.hash !== newest.hash) throw new Fault(`Row ${newest.id} has another hash than the given one.`, newest.id)
    this.#isSince = true
  }

  #checkEnd(head: SignedHead): void {
    this.#checkRows(head)
    this.#checkHead(head)
    this.#checkSince()
  }

  /** The rows are all that the head counts. */
  #checkRows({ rowId, hash, rowCount }: SignedHead): void {
    const [rows, start, newest] = [this.#rows, this.#start, this.#newest]
    if (rows > 0 && !this.#isSigned && this.#expectations.oldKeyUntil === undefined)
      throw new Fault(`Row ${newest.id} is not signed with the key of this server: ${ADVICE}`, newest.id)
    if (this.#stored.rowCount !== rows)
      throw new Fault(`The log has ${this.#stored.rowCount} rows, but only ${rows} can be found by their ids.`)
    if (newest.id < rowId)
      throw new Fault(
        `The newest rows are missing: the log ends with row ${newest.id}, its head is row ${rowId}.`,
        newest.id,
      )
    if (newest.id !== rowId || newest.hash !== hash)
      throw new Fault(
        `The head of the log was edited: it names row ${rowId}, the newest row is ${newest.id}.`,
        newest.id,
      )
    if (start.rowCount + rows !== rowCount)
      throw new Fault(`The head of the log counts ${rowCount} rows, but there are ${start.rowCount + rows}.`)
  }

  /** The head is of this server, and has always been when rows were written. */
  #checkHead({ rowId, brokenAt, isSigned }: SignedHead): void {
    const { oldKeyUntil, since } = this.#expectations
    const isOfOldKey = oldKeyUntil !== undefined && rowId <= oldKeyUntil
    if (!isSigned && !isOfOldKey)
      throw new Fault(
        'The head of the log is not signed with the key of this server: the key was replaced, or it was edited.',
      )
    // Anyone can write a log without a signature, so only a witness shows that it is the one from before the key was replaced.
    if (!isSigned && since?.id !== rowId)
      throw new Fault(
        `Nothing is signed with the key of this server after row ${rowId}, so newer rows may be missing: verify with the witness line of row ${rowId} too (--since).`,
        rowId,
      )
    const { rowId: deletedUntil } = this.#start
    // The retention has deleted the rows whose signatures would show where the key was replaced.
    if (brokenAt !== null && deletedUntil > 0 && brokenAt - 1 <= deletedUntil && oldKeyUntil === undefined)
      this.#noteOtherKey(brokenAt - 1)
    const replacedAt = oldKeyUntil ?? this.#otherKeyUntil
    if (brokenAt !== null && (replacedAt === undefined || brokenAt - 1 > replacedAt))
      throw new Fault(
        `When row ${brokenAt} was written, the head of the log was not the one of this server: rows before it may be missing, or the key was replaced.`,
        brokenAt,
      )
  }

  #checkSince(): void {
    if (this.#isSince) return
    const { id } = this.#expectations.since!
    const { rowId: deletedUntil } = this.#start
    throw new Fault(
      id <= deletedUntil
        ? `Row ${id} was deleted by the retention: compare with a row above ${deletedUntil}.`
        : `Row ${id} is missing: the log ends with row ${this.#newest.id}.`,
      id,
    )
  }
}

type SignedHead = Head & { readonly isSigned: boolean }

/** The row before the first one of the chain. */
interface Start {
  readonly rowId: number
  readonly hash: string
  readonly rowCount: number
}

type Kind = 'int' | 'intOrNull' | 'text' | 'textOrNull' | 'json'
type Columns = Readonly<Record<string, Kind>>

const CHECKPOINT: Columns = {
  id: 'int',
  row_id: 'int',
  hash: 'text',
  row_count: 'int',
  created_at: 'int',
  signature: 'text',
}
const HEAD: Columns = {
  id: 'int',
  row_id: 'int',
  hash: 'text',
  row_count: 'int',
  broken_at: 'intOrNull',
  signature: 'text',
}
const ROW: Columns = {
  id: 'int',
  actor_id: 'int',
  actor_name: 'text',
  action: 'text',
  target_type: 'text',
  target_id: 'intOrNull',
  target_name: 'textOrNull',
  before: 'json',
  after: 'json',
  ip_address: 'text',
  request_id: 'text',
  api_key_id: 'intOrNull',
  api_key_name: 'textOrNull',
  created_at: 'int',
  hash: 'text',
  previous_hash: 'text',
  signature: 'text',
}

const integer = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value
  return Number.isSafeInteger(number) ? (number as number) : undefined
}

/** The values of JSON as the server writes it; a failure for any other text, for example with a key twice. */
function json(value: unknown): LoggedFields | null | undefined {
  if (value === null) return null
  try {
    const parsed = JSON.parse(String(value)) as unknown
    if (JSON.stringify(parsed) === value && typeof parsed === 'object') return parsed as LoggedFields | null
  } catch {
    // Reported below, like other texts that the server has not written.
  }
  return undefined
}

interface Fields {
  int(name: string): number
  intOrNull(name: string): number | null
  text(name: string): string
  textOrNull(name: string): string | null
  json(name: string): LoggedFields | null
}

/** Checks the types of a row, because SQLite stores any type in any column. Returns the values, or the problem. */
function fieldsOf(row: Stored, columns: Columns): Fields | string {
  const values: Record<string, unknown> = {}
  for (const [name, kind] of Object.entries(columns)) {
    // A database of an earlier version has no columns of API keys.
    const value = row[name] ?? null
    if (kind === 'json') {
      values[name] = json(value)
      if (values[name] === undefined) return `its ${name} is not JSON of this server.`
    } else if (kind === 'int' || kind === 'intOrNull') {
      values[name] = value === null && kind === 'intOrNull' ? null : integer(value)
      if (values[name] === undefined) return `its ${name} is not an integer.`
    } else {
      values[name] = value
      if (typeof value !== 'string' && !(value === null && kind === 'textOrNull')) return `its ${name} is not a text.`
    }
  }
  const get = (name: string) => values[name] as never
  return { int: get, intOrNull: get, text: get, textOrNull: get, json: get }
}

const startOf = (read: Fields): Start => ({
  rowId: read.int('row_id'),
  hash: read.text('hash'),
  rowCount: read.int('row_count'),
})

const linkOf = (read: Fields): Link => ({
  actorId: read.int('actor_id'),
  actorName: read.text('actor_name'),
  action: read.text('action') as LoggedAction,
  targetType: read.text('target_type') as LoggedTarget,
  targetId: read.intOrNull('target_id'),
  targetName: read.textOrNull('target_name'),
  before: read.json('before'),
  after: read.json('after'),
  ipAddress: read.text('ip_address'),
  requestId: read.text('request_id'),
  apiKeyId: read.intOrNull('api_key_id'),
  apiKeyName: read.textOrNull('api_key_name'),
  createdAt: read.int('created_at'),
  previousHash: read.text('previous_hash'),
})
