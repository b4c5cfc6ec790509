/// What Pippin gives each session, and what it refuses one for.
///
/// A database, a login role, a connection string and `PGOPTIONS` may each say otherwise of any setting, and mean another
/// program by it. What a session can set for itself is set here, and what it cannot is a `SessionFault`.
enum Session {
    /// Sets what statements and readers of results take for granted, where the server knows the setting.
    ///
    /// Of `synchronous_commit` only `off` loses what was acknowledged; the others are the operator's choice.
    static let settings: SQL = """
        SELECT set_config(name, value, false) FROM (VALUES
            ('search_path', 'public'), ('TimeZone', 'UTC'), ('DateStyle', 'ISO, MDY'), ('IntervalStyle', 'postgres'),
            ('bytea_output', 'hex'), ('extra_float_digits', '1'), ('standard_conforming_strings', 'on'),
            ('array_nulls', 'on'), ('transform_null_equals', 'off'), ('quote_all_identifiers', 'off'),
            ('gin_fuzzy_search_limit', '0'), ('row_security', 'on'), ('pippin.team', ''), ('pippin.owner', ''),
            ('default_transaction_isolation', 'read committed'), ('default_transaction_deferrable', 'off'),
            ('statement_timeout', '0'), ('lock_timeout', '0'), ('transaction_timeout', '0'),
            ('idle_in_transaction_session_timeout', '0'), ('idle_session_timeout', '0'),
            ('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' END)
        ) AS settings (name, value)
        WHERE current_setting(name, true) IS NOT NULL AND value IS NOT NULL
        """

    /// Yields a `SessionFault`, or NULL if there is none.
    static let fault: SQL = """
        SELECT CASE WHEN current_setting('server_version_num')::integer < 150000 THEN 'version'
            WHEN current_setting('server_encoding') <> 'UTF8' THEN 'encoding'
            WHEN lower('I') <> 'i' OR upper('i') <> 'I' THEN 'locale'
            WHEN current_setting('session_replication_role') <> 'origin' THEN 'triggers'
            WHEN current_setting('transaction_read_only') = 'on' THEN 'read-only' END
        """
}

/// Why a session that was opened is not used.
enum SessionFault: String {
    case version
    case encoding
    case locale
    case triggers
    case readOnly = "read-only"
    case role
    case wall
    case pooler
}

extension SessionFault: CustomStringConvertible {
    /// A sentence behind the code of what keeps a server from serving.
    var description: String {
        switch self {
        case .version: "database_unsuitable: the server is older than PostgreSQL 15; upgrade it"
        case .encoding:
            "database_unsuitable: the encoding of the database is not UTF8; make one with CREATE DATABASE …"
                + " ENCODING 'UTF8' LOCALE 'C.UTF-8' TEMPLATE template0"
        case .locale:
            "database_unsuitable: in the locale of the database I and i are no pair, as in Turkish; make one with"
                + " CREATE DATABASE … ENCODING 'UTF8' LOCALE 'C.UTF-8' TEMPLATE template0"
        case .triggers:
            "database_unsuitable: session_replication_role keeps triggers from running; take it back with"
                + " ALTER ROLE … RESET session_replication_role, or ALTER DATABASE"
        case .readOnly: "database_read_only: the server is a standby or read-only, and cannot be written to"
        case .role: "database_role: a session does not run as the role that Pippin gave it; nothing is served that way"
        case .wall: "database_wall: a session's role is not under row-level security; nothing is served that way"
        case .pooler: "database_role: a pooler that was not there at the start lends the session; start Pippin again"
        }
    }
}
