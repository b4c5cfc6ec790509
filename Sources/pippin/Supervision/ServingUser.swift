import CLinux
import EventLoop
import Glibc

/// User to which a worker started as root changes, so that requests are handled without root's rights.
struct ServingUser {
    /// User of the private PostgreSQL, which accepts connections of no other user.
    private static let ofCluster = "postgres"

    let name: String
    let user: uid_t
    let group: gid_t

    /// Nil if this process is not root and has no rights to give up.
    static func choose(_ settings: Settings) throws(CommandFailure) -> ServingUser? {
        guard geteuid() == 0 else {
            guard settings.user == nil else { throw CommandFailure("--user is for a start as root; this one is not") }
            return nil
        }
        if case .own = settings.storage {
            guard settings.user == nil || settings.user == ofCluster else {
                throw CommandFailure("--user needs --database: Pippin's own PostgreSQL is the user \(ofCluster)'s")
            }
        }
        let names = settings.user.map { [$0] } ?? [ofCluster, "nobody"]
        for name in names { if let found = find(name) { return found } }
        throw CommandFailure("there is no user \(names.joined(separator: " or ")) to serve as; say --user NAME")
    }

    private static func find(_ name: String) -> ServingUser? {
        var buffer = [CChar](repeating: 0, count: 16_384)
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        guard unsafe getpwnam_r(name, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil else {
            return nil
        }
        return unsafe ServingUser(name: name, user: entry.pw_uid, group: entry.pw_gid)
    }

    /// Changes every thread of this process to the user, irreversibly.
    ///
    /// Files that are read again later must be readable then: with `--watch-templates`, the templates.
    func become(for settings: Settings) throws(CommandFailure) {
        guard user != 0 else { throw CommandFailure("--user \(name) is root; name a user without rights") }
        guard unsafe initgroups(name, group) == 0, pippin_become(user, group) == 0, setuid(0) != 0 else {
            throw CommandFailure("the rights of root cannot be given up: \(SystemError.last)")
        }
        // The change of user resets this setting, and the supervisor may have died before it is made again.
        let parent = getppid()
        _ = pippin_die_with_parent()
        guard getppid() == parent else { _exit(ExitStatus.refused.code) }
        tellOfCertificates(settings)
        guard settings.watchesTemplates else { return }
        for folder in [settings.resources.templates, settings.resources.texts]
        where unsafe access(folder, R_OK | X_OK) != 0 {
            throw CommandFailure(
                "--watch-templates: the user \(name) cannot read \(folder); let it, or leave the option out")
        }
    }

    /// Warns about certificate files that were read as root and that this user cannot read after a renewal.
    private func tellOfCertificates(_ settings: Settings) {
        guard let files = settings.tls else { return }
        for file in [files.certificate, files.key] where unsafe access(file, R_OK) != 0 {
            Terminal.say("\(file) cannot be read by the user \(name): once it is renewed, send SIGHUP")
        }
    }
}
