public import Postgres

extension Database.Configuration {
    /// One on which nothing ends because the machine is slow: a test that holds rows waits until all who want them are
    /// there, however long they take to come.
    public static func forTests(_ conninfo: String, role: String) -> Self {
        var configuration = Self(connection: conninfo, role: role)
        (configuration.timeout, configuration.grace) = (.seconds(600), .seconds(600))
        return configuration
    }
}
