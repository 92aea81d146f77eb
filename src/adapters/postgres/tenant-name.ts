/** Names that keep users of one server apart. They are part of identifiers, so that few characters are allowed. */

/** All that is stored of one tenant is out of reach of the others. */
export const tenantPattern = /^[a-z0-9][a-z0-9._-]{0,39}$/u;
/** A deployment has a schema of its own. */
export const schemaPattern = /^[a-z_][a-z0-9_]{0,39}$/u;

/**
 * How a connection says for which tenant it works, which row-level security looks at. It is a setting that poolers hand
 * from one connection to the next, as they do with few.
 */
export const applicationPrefix = 'contextd ';

/** The same for the connection that listens, of which each daemon has one; no tenant has such a name. */
export const listenerPrefix = `${applicationPrefix}listening `;
