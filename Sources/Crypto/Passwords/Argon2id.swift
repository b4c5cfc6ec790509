internal import CSodium
internal import Core
internal import Glibc

/// Password hashing by Argon2id (RFC 9106) with one lane.
///
/// Every call uses a processor core for some 20 ms and `memoryKiB` of memory, so it must run on a blocking pool. The
/// memory is mapped for the call and unmapped after it.
public struct Argon2id: Sendable {
    /// Memory in KiB.
    public let memoryKiB: Int
    /// Number of passes over the memory.
    public let passes: Int
    let decoy: PasswordHash

    /// m = 19 MiB, t = 2, p = 1: the recommendation of OWASP's Password Storage Cheat Sheet.
    public static let standard = Argon2id(memoryKiB: 19 * 1024, passes: 2)

    /// Maximum length of a password in UTF-8 bytes.
    public static let maximumPasswordCount = 1024

    /// The reason a password could not be hashed or compared.
    public enum Failure: Error, Hashable {
        /// The password is longer than `maximumPasswordCount` bytes.
        case tooLong
        /// The memory was not available; the password may still be correct.
        case outOfMemory
    }

    /// Creates a hasher with costs within the limits of `PasswordHash`.
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

    /// Whether `hash` is a hash of `password`.
    ///
    /// For an unknown account pass nil: a decoy of the same cost is compared, and the result is false.
    public func verify(_ password: String, against hash: PasswordHash?) throws(Failure) -> Bool {
        let length = try Self.length(of: password)
        // libsodium returns -1 for every failure; `errno` distinguishes a lack of memory from a mismatch.
        errno = 0
        let status = unsafe crypto_pwhash_str_verify((hash ?? decoy).text, password, length)
        guard status == 0 || errno != ENOMEM else { throw .outOfMemory }
        return status == 0 && hash != nil
    }

    /// Whether `hash` has other costs than these, so that the next sign-in should replace it.
    public func needsRehash(_ hash: PasswordHash) -> Bool { hash.memoryKiB != memoryKiB || hash.passes != passes }

    private static func length(of password: String) throws(Failure) -> UInt64 {
        guard password.utf8.count <= maximumPasswordCount else { throw .tooLong }
        return UInt64(password.utf8.count)
    }

    /// A well-formed hash of no known password, which takes as long to compare as a real one.
    private static func decoy(_ memoryKiB: Int, _ passes: Int, _ random: RandomSource) -> PasswordHash {
        let salt = Base64.encode(random.bytes(16)).prefix { $0 != "=" }
        let digest = Base64.encode(random.bytes(32)).prefix { $0 != "=" }
        let text = "$argon2id$v=19$m=\(memoryKiB),t=\(passes),p=1$\(salt)$\(digest)"
        guard let hash = PasswordHash(text) else { preconditionFailure("costs out of range: \(text)") }
        return hash
    }
}
