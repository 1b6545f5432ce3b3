import { type Call, callBy } from './api.ts'
import { type Method, type Reply, type RequestOptions, send } from './client.ts'
import { openSocket, type SocketOptions, type TestSocket } from './socket.ts'

/** A signed-in user: requests carry the token and the device. */
export interface Person {
  id: number
  username: string
  password: string
  token: string
  refreshToken: string
  sessionId: number
  /** The raw device id, as a phone keeps it. */
  deviceId: string
  /** Calls an operation by its id, typed by the endpoint table. */
  call: Call
  send(method: Method, path: string, options?: RequestOptions): Promise<Reply>
  get(path: string, query?: RequestOptions['query']): Promise<Reply>
  post(path: string, body?: unknown): Promise<Reply>
  put(path: string, body?: unknown): Promise<Reply>
  patch(path: string, body?: unknown): Promise<Reply>
  delete(path: string, body?: unknown): Promise<Reply>
  /** Opens `/ws/chat` and waits for `hello`. */
  socket(options?: SocketOptions): Promise<TestSocket>
}

/** Makes a person from a LoginResponse. */
export function person(url: string, login: Reply, name: string, password: string, deviceId: string): Person {
  if (login.status !== 200) throw new Error(`cannot sign ${name} in: ${login.status} ${login.text}`)
  const me: Person = {
    id: login.data.user.id,
    username: name,
    password,
    token: login.data.accessToken,
    refreshToken: login.data.refreshToken,
    sessionId: login.data.sessionId,
    deviceId,
    call: callBy((method, path, options) => me.send(method, path, options)),
    send: (method, path, options) => send(url, method, path, { token: me.token, deviceId: me.deviceId, ...options }),
    get: (path, query) => me.send('GET', path, query ? { query } : {}),
    post: (path, body) => me.send('POST', path, { body: body ?? {} }),
    put: (path, body) => me.send('PUT', path, { body: body ?? {} }),
    patch: (path, body) => me.send('PATCH', path, { body: body ?? {} }),
    delete: (path, body) => me.send('DELETE', path, body === undefined ? {} : { body }),
    socket: (options) => openSocket(url, me.token, options),
  }
  return me
}
