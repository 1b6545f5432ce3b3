/** Names of hosts (RFC 1123), with digits at the beginning and without a dot at the end. */

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i

export const isHostName = (text: string): boolean => HOST_NAME.test(text)
