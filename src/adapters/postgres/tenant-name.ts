/** Names that separate the users of one server. They become parts of identifiers, so few characters are allowed. */

/** The name of a tenant. Other tenants cannot reach its data. */
export const tenantPattern = /^[a-z0-9][a-z0-9._-]{0,39}$/u;
/** The name of the schema of a deployment. */
export const schemaPattern = /^[a-z_][a-z0-9_]{0,39}$/u;

/**
 * The beginning of the application name of a connection; its tenant follows. Row-level security checks it. It is one of
 * the few settings that poolers pass from one connection to the next.
 */
export const applicationPrefix = 'contextd ';

/** The same for the listening connection of each daemon. No tenant has such a name. */
export const listenerPrefix = `${applicationPrefix}listening `;
