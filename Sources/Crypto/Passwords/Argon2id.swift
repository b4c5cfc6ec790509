internal import Bytes
internal import CSodium
internal import Glibc

/// Password hashing by Argon2id (RFC 9106) with one lane.
///
/// Every call keeps a core busy for some 20 ms and holds `memoryKiB` meanwhile: run it on a blocking pool.
/// The memory is mapped for the call and unmapped after it.
public struct Argon2id: Sendable {
    /// Memory in KiB.
    public let memoryKiB: Int
    /// Passes over the memory.
    public let passes: Int
    private let decoy: PasswordHash

    /// m = 19 MiB, t = 2, p = 1: the recommendation of OWASP's Password Storage Cheat Sheet.
    public static let standard = Argon2id(memoryKiB: 19 * 1024, passes: 2)

    /// Longest password in UTF-8 bytes.
    public static let maximumPasswordCount = 1024

    /// Why a password could not be hashed or compared.
    public enum Failure: Error, Hashable {
        /// More than `maximumPasswordCount` bytes.
        case tooLong
        /// The memory was not to be had; says nothing about the password.
        case outOfMemory
    }

    /// Costs within what `PasswordHash` accepts.
    public init(memoryKiB: Int, passes: Int, random: RandomSource = .system) {
        precondition(sodium_init() >= 0, "libsodium cannot start")
        self.memoryKiB = memoryKiB
        self.passes = passes
        decoy = Self.decoy(memoryKiB, passes, random)
    }

    /// Hashes a new password with a new salt.
    public func hash(_ password: String) throws(Failure) -> PasswordHash {
        let length = try Self.length(of: password)
        var output = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
        let limit = memoryKiB * 1024
        let status = unsafe crypto_pwhash_str(&output, password, length, UInt64(passes), limit)
        let text = String(decoding: output.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard status == 0, let hash = PasswordHash(text) else { throw .outOfMemory }
        return hash
    }

    /// Whether `hash` was made of `password`.
    ///
    /// For an unknown account pass nil: a decoy of the same cost is compared, and the answer is false.
    public func verify(_ password: String, against hash: PasswordHash?) throws(Failure) -> Bool {
        let length = try Self.length(of: password)
        // libsodium answers -1 to everything; the system's error tells missing memory from a mismatch.
        errno = 0
        let status = unsafe crypto_pwhash_str_verify((hash ?? decoy).text, password, length)
        guard status == 0 || errno != ENOMEM else { throw .outOfMemory }
        return status == 0 && hash != nil
    }

    /// Whether `hash` was made at other costs than these, so that the next sign-in should replace it.
    public func needsRehash(_ hash: PasswordHash) -> Bool {
        hash.memoryKiB != memoryKiB || hash.passes != passes
    }

    private static func length(of password: String) throws(Failure) -> UInt64 {
        guard password.utf8.count <= maximumPasswordCount else { throw .tooLong }
        return UInt64(password.utf8.count)
    }

    /// A well-formed hash of no known password: comparing with it costs what a real one costs.
    private static func decoy(_ memoryKiB: Int, _ passes: Int, _ random: RandomSource) -> PasswordHash {
        let salt = Base64.encode(random.bytes(16)).prefix { $0 != "=" }
        let digest = Base64.encode(random.bytes(32)).prefix { $0 != "=" }
        let text = "$argon2id$v=19$m=\(memoryKiB),t=\(passes),p=1$\(salt)$\(digest)"
        guard let hash = PasswordHash(text) else { preconditionFailure("costs out of range: \(text)") }
        return hash
    }
}
