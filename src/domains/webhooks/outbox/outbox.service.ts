/**
 * Writes events for webhooks, in the write that causes them: so an event exists exactly if its change does. A worker gives the sequences afterwards,
 * because numbers that are taken in the write would let one write of an organization wait for the other (docs/adr/0056-webhooks.md).
 */

import type { AppContext } from '#context'
import { type Note, readNotes } from '#db/notes.ts'
import { orgOf, type OwnerKey } from '#db/owner-key.ts'
import type { EventType } from '#db/schema/webhooks.ts'
import type { Tx } from '#db/store.ts'
import type { EventRow, EventRows } from '#domains/contributions.ts'
import { topic } from '#platform/bus.ts'
import { uuid } from '#platform/ids.ts'

import { sourcesOf, thingOf } from '../events/events.service.ts'
import { SERVER } from '../webhooks/webhooks.rules.ts'
import type { Subscription } from '../webhooks/webhooks.store.ts'
import { matchingOf, thatGet } from './matching.service.ts'
import { bodyOf, bounded } from './outbox.rules.ts'
import * as store from './outbox.store.ts'
import { addScans, type Scanned } from './scans.store.ts'

/** So many events of a type and an owner are written one by one in a write. */
const MAX_EVENTS = 5000
const ROWS_PER_READ = 250

const SCANNED: EventType = 'qr_code.scanned'

/** Events were written, in this process. */
export const eventsWritten = topic<null>('webhooks.written')

interface Wanted extends Note {
  readonly hooks: readonly Subscription[]
  readonly whose: OwnerKey
}

export async function startOutbox(ctx: AppContext): Promise<void> {
  const matching = matchingOf(ctx)
  await matching.refresh()
  readNotes(ctx.db.read, {
    wants: (note) => matching.wants(note),
    wantsAny: (type) => matching.wantsAny(type),
    take: (tx, notes) => takeNotes(ctx, tx, notes),
  })
}

/** Scans are gathered first. */
async function takeNotes(ctx: AppContext, tx: Tx, notes: readonly Note[]): Promise<void> {
  const scans = notes.filter(({ type }) => type === SCANNED)
  const others = scans.length === 0 ? notes : notes.filter(({ type }) => type !== SCANNED)
  if (others.length > 0) await tellOf(ctx, tx, coalesced(others))
  const scanned = scans.length === 0 ? [] : await wantedAmong(ctx, tx, scans)
  if (scanned.length === 0) return
  const counts = new Map<number, Scanned>()
  for (const { id, whose, data } of scanned) {
    const count = (counts.get(id)?.count ?? 0) + Number((data as { readonly count: number }).count)
    counts.set(id, { qrCodeId: id, owner: whose, count })
  }
  await addScans(tx, [...counts.values()], ctx.clock.now())
}

/** Writes events for the webhooks that get them, as a part of the write. */
export async function tellOf(ctx: AppContext, tx: Tx, notes: readonly Note[]): Promise<void> {
  const wanted = await wantedAmong(ctx, tx, notes)
  if (wanted.length === 0) return
  // Nearly always one.
  if (wanted.length === 1) await insertEvents(ctx, tx, wanted[0]!.type, wanted)
  else
    for (const ofOwner of Map.groupBy(wanted, ({ whose }) => whose).values())
      for (const ofThing of Map.groupBy(ofOwner, ({ type }) => thingOf(type)).values())
        await insertOfThing(ctx, tx, ofThing)
  tx.afterCommit(() => ctx.bus.deliver([{ topic: eventsWritten.name, payload: null }]))
}

/** One event for each row and type. A row that is created is not updated too, and one that is deleted neither. */
function coalesced(notes: readonly Note[]): readonly Note[] {
  if (notes.length === 1) return notes
  const byKey = new Map<string, Note>()
  for (const note of notes) {
    const thing = thingOf(note.type)
    const key = (verb: string) => `${thing}.${verb} ${note.owner} ${note.id}`
    const created = note.type.endsWith('.updated') ? byKey.get(key('created')) : undefined
    if (created !== undefined) {
      byKey.set(key('created'), { ...created, row: undefined })
      continue
    }
    if (note.type.endsWith('.deleted')) {
      byKey.delete(key('updated'))
      if (byKey.delete(key('created'))) continue
    }
    byKey.set(`${note.type} ${note.owner} ${note.id}`, note)
  }
  return [...byKey.values()]
}

async function wantedAmong(ctx: AppContext, tx: Tx, notes: readonly Note[]): Promise<Wanted[]> {
  const matching = matchingOf(ctx)
  const activityIds = new Set<number>()
  for (const { activityId } of notes) if (activityId !== undefined) activityIds.add(activityId)
  const owners = activityIds.size === 0 ? undefined : await store.ownersOfActivities(tx, [...activityIds])
  if (owners !== undefined) matching.noteActivities(owners)
  const ownerOf = ({ owner, activityId }: Note): OwnerKey =>
    (activityId === undefined ? owner : owners!.get(activityId)) ?? SERVER
  const webhooksOf = matching.known ?? (await matching.read(tx, notes.map(ownerOf)))
  const wanted: Wanted[] = []
  for (const note of notes) {
    const whose = ownerOf(note)
    const ofServer = thatGet(webhooksOf(SERVER), note.type)
    const ofOwner = whose === SERVER ? [] : thatGet(webhooksOf(whose), note.type)
    const hooks = ofServer.length === 0 ? ofOwner : [...ofOwner, ...ofServer]
    if (hooks.length > 0) wanted.push({ ...note, hooks, whose })
  }
  return wanted
}

/** Writes the events of an owner's rows of one kind. */
async function insertOfThing(ctx: AppContext, tx: Tx, notes: readonly Wanted[]): Promise<void> {
  const types = Map.groupBy(notes, ({ type }) => type)
  // A row that has several events is read once. The last note has the row as it is now.
  const rows = types.size === 1 ? undefined : new Map<number, EventRow>()
  const last = rows === undefined ? undefined : new Map(notes.map(({ id, row }) => [id, row]))
  for (const [type, some] of types)
    if (some.length > MAX_EVENTS) await insertBatch(tx, type, some)
    else
      for (let at = 0; at < some.length; at += ROWS_PER_READ) {
        const slice = some.slice(at, at + ROWS_PER_READ)
        const given = last === undefined ? slice : slice.map((note) => ({ ...note, row: last.get(note.id) }))
        await insertEvents(ctx, tx, type, given, rows)
        if (some.length > ROWS_PER_READ) await tx.pause()
      }
}

/** `rows`: those that were read before; others that are read are added. */
async function insertEvents(
  ctx: AppContext,
  tx: Tx,
  type: EventType,
  notes: readonly Wanted[],
  rows = new Map<number, EventRow>(),
): Promise<void> {
  const source = sourcesOf(ctx).get(thingOf(type))
  const owner = notes[0]!.whose
  if (source !== undefined) await addRows(ctx, tx, source, notes, rows)
  const timestamp = new Date(tx.stamp).toISOString()
  const [kind, orgId, isDeleted] = [thingOf(type), orgOf(owner) || null, type.endsWith('.deleted')]
  const events: store.NewEvent[] = []
  for (const note of notes) {
    const { id, data, hooks } = note
    const row = typeof data === 'function' ? await data() : (data ?? rows.get(id))
    // The write has deleted it again, or it is no longer what the event is about.
    if (row === undefined) continue
    const eventId = uuid()
    const name = (source?.name == null ? undefined : row[source.name]) ?? row['name'] ?? null
    const body = (shown: unknown) => bodyOf({ type, timestamp, data: shown, id: eventId, orgId })
    let [short, whole]: (string | undefined)[] = []
    for (const hook of hooks)
      events.push({
        webhookId: hook.id,
        eventId,
        event: type,
        body:
          isDeleted || hook.owner === SERVER
            ? (short ??= body({ id, name, kind }))
            : (whole ??= bounded(body(row), () => body({ id, name, kind, isShortened: true }))),
      })
  }
  if (events.length > 0) await store.insertEvents(tx, events)
}

/** Adds the rows of those notes that do not bring their data. */
async function addRows(
  ctx: AppContext,
  tx: Tx,
  source: EventRows,
  notes: readonly Wanted[],
  rows: Map<number, EventRow>,
): Promise<void> {
  const owner = notes[0]!.whose
  const known: object[] = []
  const ids: number[] = []
  for (const { id, data, row } of notes)
    if (data === undefined && !rows.has(id))
      if (row !== undefined && source.show !== undefined) known.push(row)
      else ids.push(id)
  if (known.length > 0) for (const row of await source.show!(ctx, tx, owner, known)) rows.set(row.id, row)
  if (ids.length > 0) for (const row of await source.rows(ctx, tx, owner, ids)) rows.set(row.id, row)
}

async function insertBatch(tx: Tx, type: EventType, notes: readonly Wanted[]): Promise<void> {
  const event = `${thingOf(type)}.batch` as const
  const eventId = uuid()
  const body = bodyOf({
    type: event,
    timestamp: new Date(tx.stamp).toISOString(),
    data: { event: type, count: notes.length },
    id: eventId,
    orgId: orgOf(notes[0]!.whose) || null,
  })
  const ids = new Set(notes.flatMap(({ hooks }) => hooks.map(({ id }) => id)))
  await store.insertEvents(
    tx,
    Array.from(ids, (webhookId) => ({ webhookId, eventId, event, body })),
  )
}
