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

    /// The parameters for libpq, but for those with these names.
    func all(but names: [String]) -> [(key: String, value: String)] {
        values.filter { !names.contains($0.key) }.map { ($0.key, $0.value) }
    }

    /// The parameters as variables of the environment, `name=value`, for PostgreSQL's programs; those that have none are
    /// left out, such as the keepalives.
    var environment: [String] {
        guard let options = unsafe PQconndefaults() else { return [] }
        defer { unsafe PQconninfoFree(options) }
        var (option, lines) = unsafe (options, [String]())
        while let name = unsafe option.pointee.keyword {
            let variable = unsafe option.pointee.envvar.map { unsafe String(cString: $0) }
            if let variable, let value = unsafe values[String(cString: name)] { lines.append("\(variable)=\(value)") }
            unsafe option += 1
        }
        return lines
    }

    private static func values(of options: UnsafeMutablePointer<PQconninfoOption>?) -> [String: String]? {
        guard let options = unsafe options else { return nil }
        defer { unsafe PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = unsafe options
        while let name = unsafe option.pointee.keyword {
            let value = unsafe option.pointee.val.map { unsafe String(cString: $0) } ?? ""
            // Without libpq's own defaults, which it adds where they count.
            let usual = unsafe option.pointee.compiled.map { unsafe String(cString: $0) }
            if !value.isEmpty, value != usual { unsafe values[String(cString: name)] = value }
            unsafe option += 1
        }
        return values
    }
}
