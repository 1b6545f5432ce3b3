import { send } from '../harness/client.ts'
import { ADMIN, ok, type Person } from '../harness/index.ts'
import { person } from '../harness/people.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'

/** Users of a server of its own who know each other by an organization and take messages from everybody, without a limit per minute. */
export async function registerWriters(url: string, count: number): Promise<Person[]> {
  const headers = { 'x-device-id': `device-of-admin-${crypto.randomUUID()}` }
  const body = { account: ADMIN.username, password: ADMIN.password }
  const login = await send(url, 'POST', '/api/admin/auth/login', { headers, body })
  const admin = person(url, login, ADMIN.username, ADMIN.password, headers['x-device-id'])
  ok(await admin.put('/api/admin/chat/settings', { messagesPerMinute: 0, recallSeconds: 86_400 }))
  const users: Person[] = []
  for (let i = 0; i < count; i++) {
    const [username, password, deviceId] = [`writer${i}`, `secret of writer ${i}`, `device-${crypto.randomUUID()}`]
    const made = await send(url, 'POST', '/api/auth/register', {
      headers: { 'x-device-id': deviceId },
      body: { username, password },
    })
    users.push(person(url, made, username, password, deviceId))
  }
  await addMembers(users[0]!, await createOrg(users[0]!), ...users.slice(1))
  for (const user of users) ok(await user.put('/api/contacts/settings', { whoMayMessage: 'EVERYONE' }))
  return users
}
