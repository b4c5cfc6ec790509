public import Crypto
public import Platform

/// The private keys of both teams, made once for all tests.
public enum TestKeys {
    /// What both teams sign their tokens with: a key takes a fifth of a second to make.
    public static let signing: RSASigningKey = {
        do { return try RSASigningKey.generate() } catch { preconditionFailure("no RSA key: \(error)") }
    }()

    /// Of the Apple simulator, for tokens that are wrong on purpose.
    public static let extra: RSASigningKey = {
        do { return try RSASigningKey.generate() } catch { preconditionFailure("no RSA key: \(error)") }
    }()

    public static let acme = P256SigningKey.generate()
    public static let acmeRevoked = P256SigningKey.generate()
    public static let acmeOther = P256SigningKey.generate()
    public static let rival = P256SigningKey.generate()
    public static let apple = P256SigningKey.generate()

    /// The private half behind a registered key.
    public static func key(_ id: KeyID) -> P256SigningKey {
        switch id {
        case .acmeRevoked: acmeRevoked
        case .acmeOther: acmeOther
        case .rival: rival
        case .apple: apple
        default: acme
        }
    }
}
