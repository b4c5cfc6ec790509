import Core
import Crypto
import Platform

/// Column values of a key to be inserted.
struct KeyRow {
    let id: KeyID
    let name: String
    let appID: ClientID
    let publicKeyPEM: String
    let fingerprint: String
    let sealed: [UInt8]?

    init(_ issue: Key.Issue, id: KeyID, publicKey: P256PublicKey, sealed: [UInt8]) {
        self.id = id
        name = issue.name
        appID = issue.appID
        publicKeyPEM = publicKey.pem
        fingerprint = Key.fingerprint(of: publicKey)
        self.sealed = sealed
    }

    init(_ registration: Key.Registration) {
        id = registration.id
        name = registration.name
        appID = registration.appID
        publicKeyPEM = registration.publicKeyPEM
        fingerprint = registration.fingerprint
        sealed = nil
    }

    var auditedMembers: AuditedMembers {
        ["name": .string(name), "appID": .string(appID.rawValue), "fingerprint": .string(fingerprint)]
    }
}
