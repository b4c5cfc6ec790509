import EventLoop
import HTTP
import Log
import Synchronization

/// Has the servers take up a certificate when its files change, so that a renewal needs no restart.
final class CertificateRenewal: Sendable {
    /// How often the files are looked at; a renewal comes days before the old one ends.
    private static let interval = Duration.seconds(10)

    /// What is served, and what has been said of the files that hold something else.
    struct State {
        enum News: Equatable {
            /// To be served from now on.
            case renewed(ServerTLS)
            case notRenewed
        }

        /// What connections get.
        var served: ServerTLS?
        /// What was last read and not taken, which is said once.
        private var refused: ServerTLS?
        /// Whether the files could not be read when they were looked at last, which is said once too.
        private var isUnreadable: Bool

        /// - Parameter found: what the files hold, as far as this process can read them. What it could not read from the
        ///   start, since it gave up root's rights, was read before, and the start says so: that is no news.
        init(served: ServerTLS?, found: ServerTLS?) {
            self.served = served
            isUnreadable = found == nil
        }

        /// Takes what the files hold now; nil where that is no news.
        ///
        /// Half of a renewal may be written: certificate and key that do not belong together are tried again.
        mutating func look(at found: ServerTLS?) -> News? {
            let (wasUnreadable, before) = (isUnreadable, refused)
            isUnreadable = found == nil
            guard let found else { return wasUnreadable ? nil : .notRenewed }
            guard found != served else { return nil }
            guard !found.isUsable else {
                (served, refused) = (found, nil)
                return .renewed(found)
            }
            refused = found
            return found == before ? nil : .notRenewed
        }
    }

    private let files: (certificate: String, key: String)
    private let log: Log
    private let state = Mutex(State(served: nil, found: nil))

    /// Nil where the servers speak no TLS.
    init?(_ settings: Settings, log: Log) {
        guard let files = settings.tls else { return nil }
        self.files = files
        self.log = log
    }

    /// The certificate that is served, in PEM.
    var certificate: String? { state.withLock { $0.served?.certificate } }

    /// Looks after the servers until the process stops; call it as a task of a loop.
    func run(
        _ servers: [Server],
        on loops: [EventLoop],
        with served: ServerTLS?,
        while isOpen: @Sendable () -> Bool
    ) async {
        let found = try? TLSFiles.read(files)
        state.withLock { $0 = State(served: served, found: found) }
        while isOpen() {
            await loops[0].sleep(for: Self.interval)
            guard isOpen() else { return }
            await look(servers, loops)
        }
    }

    private func look(_ servers: [Server], _ loops: [EventLoop]) async {
        let found = try? TLSFiles.read(files)
        switch state.withLock({ $0.look(at: found) }) {
        case .renewed(let renewed):
            for (server, loop) in zip(servers, loops) {
                _ = try? await loop.run { server.renew(renewed) }
            }
            log(.info, "tls.renewed", ("file", files.certificate))
        case .notRenewed: log(.warning, "tls.not-renewed", ("file", files.certificate))
        case nil: break
        }
    }
}
