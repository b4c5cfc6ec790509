public import Postgres
import TestSupport

extension Database.Configuration {
    /// One on which nothing ends because the machine is slow: a test that holds rows waits until all who want them are
    /// there, however long they take to come.
    public static func forTests(_ conninfo: String, role: String) -> Self {
        var configuration = Self(connection: conninfo, role: role)
        (configuration.timeout, configuration.grace) = (.testTimeout, .testTimeout)
        return configuration
    }
}
