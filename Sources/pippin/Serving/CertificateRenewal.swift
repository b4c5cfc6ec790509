import Accounts
import Core
import EventLoop
import HTTP
import Synchronization

/// Makes the servers use a renewed certificate when its files change, without a restart.
final class CertificateRenewal: Sendable {
    /// Interval between checks of the files; a renewal comes days before the old certificate expires.
    private static let interval = Duration.seconds(10)

    /// The served certificate, and what has been reported about files with another content.
    struct State {
        enum News: Equatable {
            /// Certificate to serve from now on.
            case renewed(ServerTLS)
            case notRenewed
        }

        /// The certificate that connections get.
        var served: ServerTLS?
        /// Last content that was read and rejected, which is reported once.
        private var refused: ServerTLS?
        /// Whether the files were unreadable at the last check, which is reported once as well.
        private var isUnreadable: Bool

        /// - Parameter found: content of the files as far as this process can read them; nil is not reported later,
        ///   because a process that has given up root's rights reads them before and reports it at the start.
        init(served: ServerTLS?, found: ServerTLS?) {
            self.served = served
            isUnreadable = found == nil
        }

        /// Compares the current content of the files with the served one; nil if there is nothing to report.
        ///
        /// A renewal may be half written: a certificate and key that do not match are tried again.
        mutating func check(at found: ServerTLS?) -> News? {
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

    /// Nil if the servers do not use TLS.
    init?(_ settings: Settings, log: Log) {
        guard let files = settings.tls else { return nil }
        self.files = files
        self.log = log
    }

    /// The served certificate, in PEM.
    var certificate: String? { state.withLock { $0.served?.certificate } }

    /// Checks the files until the process stops; call it as a task of a loop.
    func run(_ servers: [Server], on loops: [EventLoop], with served: ServerTLS?, while isOpen: @Sendable () -> Bool)
        async
    {
        let found = try? TLSFiles.read(files)
        state.withLock { $0 = State(served: served, found: found) }
        while isOpen() {
            await loops[0].sleep(for: Self.interval)
            guard isOpen() else { return }
            await check(servers, loops)
        }
    }

    private func check(_ servers: [Server], _ loops: [EventLoop]) async {
        let found = try? TLSFiles.read(files)
        switch state.withLock({ $0.check(at: found) }) {
        case .renewed(let renewed):
            for (server, loop) in zip(servers, loops) { _ = try? await loop.run { server.renew(renewed) } }
            log(.info, "tls.renewed", ("file", files.certificate))
        case .notRenewed: log(.warning, "tls.renewal_failed", ("file", files.certificate))
        case nil: break
        }
    }
}

/// The certificate and key of `--tls-cert` and `--tls-key`.
enum TLSFiles {
    static func read(_ files: (certificate: String, key: String)) throws(CommandFailure) -> ServerTLS {
        ServerTLS(certificate: try text(files.certificate), key: try text(files.key))
    }

    private static func text(_ path: String) throws(CommandFailure) -> String {
        guard let text = TextFile.read(path), text.contains("-----BEGIN") else {
            throw CommandFailure("\(path) cannot be read or is not PEM")
        }
        return text
    }
}

extension Settings {
    /// The certificate file for check-ups, read at the time of each.
    ///
    /// - Parameter served: renewal whose served certificate is checked instead of the file.
    func certificateFile(served: CertificateRenewal? = nil) -> CertificateFile? {
        tls.map { files in
            CertificateFile(files.certificate) { served?.certificate ?? TextFile.read(files.certificate) }
        }
    }
}
