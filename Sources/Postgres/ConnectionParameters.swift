import CPostgreSQL

/// What a connection string says, with what the environment (`PGHOST`, `PGSERVICE` and so on) adds, as libpq reads it.
///
/// A `service` in the string itself is not read, because libpq offers its values to nobody before it connects.
struct ConnectionParameters: Sendable {
    private let values: [String: String]
    /// Whether the string itself names a service.
    let isService: Bool

    /// Parameters of which none is given.
    init() { (values, isService) = ([:], false) }

    /// Reads a connection string or URL; nil if libpq could not.
    init?(_ connection: String) {
        guard let given = unsafe Self.values(of: PQconninfoParse(connection, nil)) else { return nil }
        isService = given["service"] != nil
        values = (unsafe Self.values(of: PQconndefaults()) ?? [:]).merging(given) { $1 }
    }

    /// Value of a parameter by libpq's name; nil if it is not set or empty.
    subscript(_ name: String) -> String? { values[name] }

    /// All parameters for libpq.
    var all: [(key: String, value: String)] { values.map { ($0.key, $0.value) } }

    /// The parameters for libpq, without those that choose a server.
    var withoutServers: [(key: String, value: String)] {
        let names = [
            "host", "hostaddr", "port", "service", "servicefile", "target_session_attrs", "load_balance_hosts",
        ]
        return all.filter { !names.contains($0.key) }
    }

    private static func values(of options: UnsafeMutablePointer<PQconninfoOption>?) -> [String: String]? {
        guard let options = unsafe options else { return nil }
        defer { unsafe PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = unsafe options
        while let name = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val, unsafe value.pointee != 0 {
                unsafe values[String(cString: name)] = String(cString: value)
            }
            unsafe option += 1
        }
        return values
    }
}
