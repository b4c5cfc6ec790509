public import Core
public import Registry

/// A registry file: teams as code, with unparsed values, which `TeamPlan` validates.
///
/// An absent member leaves the stored value unchanged.
public struct RegistryFile: Encodable, Sendable {
    public var teams: [Team]

    public struct Team: Encodable, Sendable {
        public var id: String
        let settings: Typed
        public var appIDs: [AppID]?
        public var keys: [Key]?
        public var emailSources: [EmailSource]?
        public var users: [User]?

        private enum CodingKeys: CodingKey { case id, appIDs, keys, emailSources, users }

        public func encode(to encoder: any Encoder) throws {
            try settings.encode(to: encoder)
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(id, forKey: .id)
            try members.encodeIfPresent(appIDs, forKey: .appIDs)
            try members.encodeIfPresent(keys, forKey: .keys)
            try members.encodeIfPresent(emailSources, forKey: .emailSources)
            try members.encodeIfPresent(users, forKey: .users)
        }
    }

    public struct AppID: Sendable {
        public var entry: RegistryEntry
        public var apple: Apple?
        /// Whether `apple` is `null` in the file.
        public var isApart = false
        public var serviceIDs: [RegistryEntry]?

        var identifier: String { entry.identifier }
    }

    /// Registration of a primary App ID's group at Apple.
    public struct Apple: Encodable, Sendable {
        /// Those of the connection, and the team of its key.
        let settings: Typed
        /// Used when the key is imported; never exported.
        var privateKeyPEM: String?
        /// File with the private key, whose content is read into `privateKeyPEM`.
        let privateKeyFile: String?

        public func encode(to encoder: any Encoder) throws {
            try settings.merging(["privateKeyFile": .string(privateKeyFile ?? "")]) { $1 }.encode(to: encoder)
        }
    }

    public struct Key: Encodable, Sendable {
        public var id: String
        public var name: String?
        public var appID: String?
        public var publicKeyPEM: String?
    }

    /// A domain or an address, never both.
    public struct EmailSource: Encodable, Sendable {
        let kind: Registry.EmailSource.Kind
        let text: String
        let settings: Typed

        public func encode(to encoder: any Encoder) throws {
            try settings.merging([kind.rawValue: .string(text)]) { $1 }.encode(to: encoder)
        }
    }

    /// A user, identified by the address used to sign in.
    public struct User: Encodable, Sendable {
        public var email: String
        /// Used when the user is created or credentials are reset; never exported.
        public var password: String?
        /// Secret of an authenticator app in Base32; used like the password, and never exported.
        public var totpSecret: String?
        public var givenName: String?
        public var familyName: String?
    }

    public init(teams: [Team]) { self.teams = teams }
}

extension RegistryFile {
    /// Greater than any registry file needs: one of 1 MiB names at most some 60,000 users.
    private static let maxDepth = 16
    private static let maxValues = 250_000

    /// Parses a registry file and reads the key files that it names.
    ///
    /// - Parameter load: reads a file by its path relative to the registry file.
    /// - Throws: `FieldErrors` with every error of the file's structure.
    public init(parsing bytes: [UInt8], load: (String) throws -> [UInt8]) throws(FieldErrors) {
        guard !Self.isUTF16(bytes) else { throw FieldErrors(.whole, "The file is in UTF-16. Save it as UTF-8.") }
        let bytes = ByteOrderMark.removed(from: bytes)
        let value: JSONValue
        do { value = try JSON.document(bytes, maxDepth: Self.maxDepth, maxValues: Self.maxValues) } catch {
            throw FieldErrors(.whole, error.words)
        }
        var reader = MemberReader(value, at: .whole)
        teams = reader.objects("teams") { Team(&$0, load) } ?? []
        let errors = reader.finished()
        if !errors.isEmpty { throw errors }
    }

    /// Whether a file begins as one in UTF-16 does: with its byte order mark, or with a character of JSON in two octets.
    private static func isUTF16(_ bytes: [UInt8]) -> Bool {
        [[0xFF, 0xFE], [0xFE, 0xFF]].contains(Array(bytes.prefix(2))) || bytes.count > 1 && bytes.prefix(2).contains(0)
    }
}

extension JSON.Fault {
    /// The error with its line and column.
    fileprivate var words: String {
        let place = "Line \(line), column \(column)"
        return switch failure {
        case .tooDeep: "\(place): the file is nested more deeply than any registry is."
        case .tooMany: "\(place): the file holds more values than any registry does."
        case .duplicateMember(let name): "\(place): the member “\(name)” is here a second time in one object."
        case .malformed, .mismatch: "\(place): the file is not valid JSON."
        }
    }
}

extension RegistryFile.Team {
    fileprivate init(_ reader: inout MemberReader, _ load: (String) throws -> [UInt8]) {
        id = reader.requiredText("id")
        settings = reader.settings(TeamSettings.self)
        appIDs = reader.objects("appIDs") { RegistryFile.AppID(&$0, load) }
        keys = reader.objects("keys") { RegistryFile.Key(&$0, load) }
        emailSources = reader.objects("emailSources") { RegistryFile.EmailSource(&$0) }
        users = reader.objects("users") { RegistryFile.User(&$0) }
    }
}

extension RegistryFile.AppID: Encodable {
    private enum CodingKeys: CodingKey { case apple, serviceIDs }

    public func encode(to encoder: any Encoder) throws {
        try entry.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encodeIfPresent(apple, forKey: .apple)
        try members.encodeIfPresent(serviceIDs, forKey: .serviceIDs)
    }

    fileprivate init(_ reader: inout MemberReader, _ load: (String) throws -> [UInt8]) {
        entry = reader.entry(Registry.AppID.Settings.self)
        isApart = reader.isNull("apple")
        apple = reader.object("apple") { RegistryFile.Apple(&$0, load) }
        serviceIDs = reader.objects("serviceIDs") { $0.entry(ServiceID.Settings.self) }
    }
}

extension RegistryFile.Apple {
    /// An unreadable key file is not an error yet, because a key that is already imported needs no file.
    fileprivate init(_ reader: inout MemberReader, _ load: (String) throws -> [UInt8]) {
        var settings = reader.settings(AppleConnection.Settings.self)
        settings["teamID"] = reader.text("teamID").map(JSONValue.string)
        self.settings = settings
        privateKeyPEM = reader.text("privateKeyPEM")
        privateKeyFile = reader.text("privateKeyFile")
        guard let file = privateKeyFile else { return }
        if privateKeyPEM != nil {
            reader.note("privateKeyFile", "Give privateKeyPEM or privateKeyFile, not both.")
        } else if !Self.staysBelow(file) {
            reader.note(
                "privateKeyFile",
                "This must name a file in the folder of the registry file or below it, by a relative path without “..”."
            )
        } else if let octets = try? load(file) {
            privateKeyPEM = String(utf8: octets) ?? ""
        }
    }
}

extension RegistryFile.Apple {
    /// Whether a relative path names something inside its folder, judged by its text.
    ///
    /// A registry file may come from another author, and is read with the rights of the user who applies it.
    private static func staysBelow(_ path: String) -> Bool {
        let steps = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return !path.isEmpty && !path.utf8.contains(0) && steps.first?.isEmpty == false
            && !steps.contains { $0.elementsEqual("..".utf8) }
    }
}

extension RegistryFile.Key {
    fileprivate init(_ reader: inout MemberReader, _ load: (String) throws -> [UInt8]) {
        id = reader.requiredText("id")
        name = reader.text("name")
        appID = reader.text("appID")
        publicKeyPEM = reader.text("publicKeyPEM")
        guard let file = reader.text("publicKeyFile") else { return }
        guard publicKeyPEM == nil else {
            reader.note("publicKeyFile", "Give publicKeyPEM or publicKeyFile, not both.")
            return
        }
        do { publicKeyPEM = String(utf8: try load(file)) ?? "" } catch {
            reader.note("publicKeyFile", "\(file) cannot be read: \(describing: error).")
        }
    }
}

extension RegistryFile.EmailSource {
    fileprivate init(_ reader: inout MemberReader) {
        let (domain, address) = (reader.text("domain"), reader.text("address"))
        (kind, text) = domain.map { (.domain, $0) } ?? (.address, address ?? "")
        settings = reader.settings(Registry.EmailSource.Settings.self)
        if (domain == nil) == (address == nil) { reader.note("domain", "Give a domain or an address, one of the two.") }
    }
}

extension RegistryFile.User {
    fileprivate init(_ reader: inout MemberReader) {
        email = reader.requiredText("email")
        password = reader.text("password")
        totpSecret = reader.text("totpSecret")
        givenName = reader.text("givenName")
        familyName = reader.text("familyName")
    }
}
