/// A registry file: teams as code, with unparsed values, which `TeamPlan` validates.
///
/// An absent member leaves the stored value unchanged.
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
        /// The primary App ID it is grouped under; empty for none.
        public var primary: String?
        /// Whether Sign in with Apple is enabled for it.
        public var signIn: Bool?
        public var issuer: String?
        public var apple: Apple?
        /// Whether `apple` is `null` in the file.
        var isApart = false
        public var serviceIDs: [ServiceID]?

        enum CodingKeys: CodingKey {
            case identifier, description, notificationURL, primary, signIn, issuer, apple, serviceIDs
        }
    }

    /// Registration of a primary App ID's group at Apple.
    public struct Apple: Encodable, Sendable {
        public var teamID: String?
        public var servicesID: String?
        public var keyID: String?
        /// Used when the key is imported; never exported.
        public var privateKeyPEM: String?
        /// File with the private key, whose content is read into `privateKeyPEM`.
        public var privateKeyFile: String?

        enum CodingKeys: CodingKey { case teamID, servicesID, keyID, privateKeyFile }
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
        /// The DKIM selectors that sign mail from the source.
        public var selectors: [String]?
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
