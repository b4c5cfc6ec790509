import CPostgreSQL
import EventLoop

/// A blocking connection for start-up and tools, never for use on a loop.
@safe public struct AdminConnection: ~Copyable {
    private let connection: OpaquePointer

    /// Connects to a conninfo string or a `postgresql://` URL.
    ///
    /// A timeout in the conninfo itself takes precedence. libpq rounds one second up to two.
    public init(to conninfo: String, timeoutInSeconds: Int = 5) throws(AdminFailure) {
        // Of several servers only one can be written to.
        let choice = DatabaseServers(conninfo).hasSeveral ? [("target_session_attrs", "read-write")] : []
        try self.init(
            choice + [("fallback_application_name", "pippin"), ("dbname", conninfo), ("client_encoding", "UTF8")],
            timeoutInSeconds: timeoutInSeconds)
    }

    /// Connects with the given libpq parameters, and gives the session its settings.
    init(_ parameters: [(key: String, value: String)], timeoutInSeconds: Int = 5) throws(AdminFailure) {
        guard !parameters.contains(where: { $0.value.utf8.contains(0) }) else { throw .containsNUL }
        let connection = unsafe Self.connect(
            [("connect_timeout", String(timeoutInSeconds))] + parameters.map { (keyword: $0.key, value: $0.value) })
        guard let connection = unsafe connection else { throw .unreachable("out of memory") }
        guard unsafe PQstatus(connection) == CONNECTION_OK, unsafe Self.prepare(connection) else {
            let message = unsafe Self.message(of: connection)
            unsafe PQfinish(connection)
            throw .unreachable(message)
        }
        unsafe pippin_silence_notices(connection)
        unsafe self.connection = connection
    }

    deinit { unsafe PQfinish(connection) }

    /// Why sessions of this database are not used, behind the code of what keeps a server from serving; nil if they are.
    public var fault: String? {
        get throws(AdminFailure) {
            try execute(Session.fault.text, []).first?.first?.flatMap(\.self).flatMap(SessionFault.init)?.description
        }
    }

    /// Takes role and settings back that were given to the session since it was opened.
    func reset() throws(AdminFailure) {
        try execute("RESET ROLE; RESET ALL")
        try execute(Session.settings.text, [])
    }

    /// Time of the server's clock, in microseconds since 1970.
    public var clock: Int64 {
        get throws(AdminFailure) {
            let rows = try execute("SELECT (EXTRACT(epoch FROM clock_timestamp()) * 1000000)::bigint", [])
            return rows.first?.first?.flatMap { Int64($0) } ?? 0
        }
    }

    /// Whether the server of a conninfo takes no connections yet, because it starts or recovers (SQLSTATE 57P03).
    public static func isStarting(_ conninfo: String) -> Bool {
        unsafe CStringArray.with(["connect_timeout", "dbname"]) { keywords in
            unsafe CStringArray.with(["2", conninfo]) { unsafe PQpingParams(keywords, $0, 1) == PQPING_REJECT }
        }
    }

    /// Whether the server at the other end is lent by a pooler, which has process numbers of its own.
    public var isPooled: Bool {
        get throws(AdminFailure) {
            try execute("SELECT pg_backend_pid()", [])[0][0] != String(unsafe PQbackendPID(connection))
        }
    }

    /// Runs one or more statements separated by semicolons; the first error ends them.
    public func execute(_ statements: String) throws(AdminFailure) {
        guard !statements.utf8.contains(0) else { throw .containsNUL }
        let result = unsafe PQexec(connection, statements)
        defer { unsafe PQclear(result) }
        unsafe try check(result)
    }

    /// Runs one statement with values for `$1`, `$2` … and returns its rows as text, NULL as nil.
    @discardableResult public func execute(_ statement: String, _ values: [String?]) throws(AdminFailure) -> [[String?]]
    {
        guard !statement.utf8.contains(0), !values.contains(where: { $0?.utf8.contains(0) == true }) else {
            throw .containsNUL
        }
        let count = values.count
        let result = unsafe CStringArray.with(values) { values in
            unsafe PQexecParams(connection, statement, Int32(count), nil, values, nil, nil, 0)
        }
        defer { unsafe PQclear(result) }
        unsafe try check(result)
        return unsafe Self.rows(of: result)
    }

    private func check(_ result: OpaquePointer?) throws(AdminFailure) {
        switch unsafe PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH: throw .unreachable("COPY is not understood here")
        default: break
        }
        guard let sqlState = unsafe Self.field(UInt8(ascii: "C"), of: result) else {
            throw .unreachable(unsafe Self.message(of: connection))
        }
        throw .refused(
            sqlState: sqlState, message: unsafe Self.field(UInt8(ascii: "M"), of: result) ?? "no message",
            position: unsafe Self.field(UInt8(ascii: "P"), of: result).flatMap { Int($0) })
    }

    private static func connect(_ parameters: [(keyword: String, value: String)]) -> OpaquePointer? {
        unsafe CStringArray.with(parameters.map { $0.keyword }) { keywords in
            unsafe CStringArray.with(parameters.map { $0.value }) { values in
                unsafe PQconnectdbParams(keywords, values, 1)
            }
        }
    }

    private static func prepare(_ connection: OpaquePointer) -> Bool {
        let result = unsafe PQexec(connection, Session.settings.text)
        defer { unsafe PQclear(result) }
        return unsafe PQresultStatus(result) == PGRES_TUPLES_OK
    }

    /// A field of an error result, by its code in the protocol (PostgreSQL documentation, section 55.8).
    private static func field(_ code: UInt8, of result: OpaquePointer?) -> String? {
        unsafe PQresultErrorField(result, Int32(code)).map { unsafe String(cString: $0) }
    }

    private static func rows(of result: OpaquePointer?) -> [[String?]] {
        unsafe (0..<PQntuples(result)).map { row in
            unsafe (0..<PQnfields(result)).map { column in
                guard unsafe PQgetisnull(result, row, column) == 0 else { return nil }
                return unsafe PQgetvalue(result, row, column).map { unsafe String(cString: $0) }
            }
        }
    }

    /// libpq's error message on one line.
    private static func message(of connection: OpaquePointer) -> String {
        let message = unsafe PQerrorMessage(connection).map { unsafe String(cString: $0) } ?? ""
        return message.split(whereSeparator: \.isNewline).map { line in String(line.drop { $0 == "\t" || $0 == " " }) }
            .joined(separator: "; ")
    }
}
