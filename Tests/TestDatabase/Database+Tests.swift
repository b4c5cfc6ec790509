public import Postgres
import TestSupport

extension DatabaseConfiguration {
    /// One on which nothing ends because the machine is slow: a test that holds rows waits until all who want them are
    /// there, however long they take to come.
    ///
    /// Of the connections that are opened at once there are few; a test that needs more says so.
    public static func forTests(_ conninfo: String, role: String? = nil) -> Self {
        var configuration = Self(connection: conninfo, role: role)
        configuration.shared = role == "pippin_system" ? 1 : 2
        (configuration.timeout, configuration.grace) = (.testTimeout, .testTimeout)
        (configuration.searchTimeout, configuration.outage) = (.testTimeout, .testTimeout)
        (configuration.connectTimeout, configuration.silence) = (.testTimeout, .testTimeout)
        return configuration
    }
}
