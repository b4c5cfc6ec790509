/// Teams as code, as far as the file's shape goes: texts are parsed when they meet their team.
///
/// A member that is left out leaves alone what is there.
public struct RegistryFile: Encodable, Sendable {
    public var teams: [Team]

    public struct Team: Encodable, Sendable {
        public var id: String
        public var name: String?
        public var mode: String?
        public var identitySources: [String]?
        public var secondFactor: String?
        public var appIDs: [AppID]?
        public var keys: [Key]?
        public var emailSources: [EmailSource]?
        public var users: [User]?
    }

    public struct AppID: Encodable, Sendable {
        public var identifier: String
        public var description: String?
        public var notificationURL: String?
        /// The App ID it is grouped under; empty for none.
        public var primary: String?
        /// Whether Sign in with Apple is on for it.
        public var signIn: Bool?
        public var apple: Apple?
        /// The file says `null` in its place.
        var isApart = false
        public var serviceIDs: [ServiceID]?

        enum CodingKeys: CodingKey {
            case identifier, description, notificationURL, primary, signIn, apple, serviceIDs
        }
    }

    /// How the group of a primary App ID is registered at Apple.
    public struct Apple: Encodable, Sendable {
        public var teamID: String?
        public var servicesID: String?
        public var keyID: String?
        /// Taken when the key is imported; never exported.
        public var privateKeyPEM: String?
        /// The file it is in, whose content then is in `privateKeyPEM`.
        public var privateKeyFile: String?

        enum CodingKeys: CodingKey {
            case teamID, servicesID, keyID, privateKeyFile
        }
    }

    public struct ServiceID: Encodable, Sendable {
        public var identifier: String
        public var description: String?
        public var domains: [String]?
        public var returnURLs: [String]?
        public var issuer: String?
        public var booleans: String?
        public var requirePKCE: Bool?
    }

    public struct Key: Encodable, Sendable {
        public var id: String
        public var name: String?
        public var appID: String?
        public var publicKeyPEM: String?
    }

    /// A domain or an address, never both.
    public struct EmailSource: Encodable, Sendable {
        public var domain: String?
        public var address: String?
        /// The DKIM selectors that mail from there is signed with.
        public var selectors: [String]?
    }

    /// A person, known by the address they sign in with.
    public struct User: Encodable, Sendable {
        public var email: String
        /// Taken when the user is created or credentials are reset; never exported.
        public var password: String?
        /// Of an authenticator app, in base 32; taken and left out as the password is.
        public var totpSecret: String?
        public var givenName: String?
        public var familyName: String?
    }

    public init(teams: [Team]) {
        self.teams = teams
    }
}
