import Core
public import Registry

/// A registry file: teams as code, with unparsed values, which `TeamApply` saves.
///
/// An absent member leaves the stored value unchanged.
public struct RegistryFile: Sendable {
    public let teams: [Team]

    public struct Team: Encodable, Sendable {
        public var id: String
        let settings: Typed
        public var appIDs: [AppID]?
        public var keys: [Key]?
        public var emailSources: [EmailSource]?
        public var members: [Member]?
        var users: UserList?

        private enum CodingKeys: CodingKey { case id, appIDs, keys, emailSources, members }

        public func encode(to encoder: any Encoder) throws {
            try settings.encode(to: encoder)
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(id, forKey: .id)
            try members.encodeIfPresent(appIDs, forKey: .appIDs)
            try members.encodeIfPresent(keys, forKey: .keys)
            try members.encodeIfPresent(emailSources, forKey: .emailSources)
            try members.encodeIfPresent(self.members, forKey: .members)
        }
    }

    /// A member of the team, or somebody invited to become one, by the address of the console account.
    public struct Member: Encodable, Sendable {
        let email: String
        let role: String
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
        public var emailVerified: Bool?
    }
}

extension RegistryFile.Team {
    init(_ reader: inout MemberReader, _ users: RegistryFile.UserList?, _ load: (String) throws -> [UInt8]) {
        id = reader.requiredCode("id")
        settings = reader.settings(TeamSettings.self)
        appIDs = reader.objects("appIDs") { RegistryFile.AppID(&$0, load) }
        keys = reader.objects("keys") { RegistryFile.Key(&$0, load) }
        emailSources = reader.objects("emailSources") { RegistryFile.EmailSource(&$0) }
        members = reader.objects("members") {
            RegistryFile.Member(email: $0.requiredText("email"), role: $0.requiredCode("role"))
        }
        reader.requireList("users")
        self.users = users
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
        id = reader.requiredCode("id")
        name = reader.text("name")
        appID = reader.text("appID")?.typedCode
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
        let (domain, address) = (reader.text("domain")?.typedCode, reader.text("address")?.typedCode)
        (kind, text) = domain.map { (.domain, $0) } ?? (.address, address ?? "")
        settings = reader.settings(Registry.EmailSource.Settings.self)
        if (domain == nil) == (address == nil) { reader.note("domain", "Give a domain or an address, one of the two.") }
    }
}

extension RegistryFile.User {
    init(_ reader: inout MemberReader) {
        email = reader.requiredText("email")
        password = reader.text("password")
        totpSecret = reader.text("totpSecret")
        givenName = reader.text("givenName")
        familyName = reader.text("familyName")
        emailVerified = reader.boolean("emailVerified")
    }
}
