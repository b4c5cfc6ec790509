import Crypto
import Directory
import Platform
import Registry

/// One change that brings a team closer to the registry file.
enum Change: Sendable {
    case createTeam(TeamID, TeamSettings)
    case updateTeam(TeamID, from: TeamSettings, to: TeamSettings)

    case revokeKey(Key)
    case deleteServiceID(ServiceID)
    /// With the Service IDs and active keys that are deleted with it.
    case deleteAppID(AppID, serviceIDs: [ClientID], keys: [KeyID])
    case deleteEmailSource(EmailSource)
    case deleteUser(RegisteredUser)

    case createAppID(AppID.Draft)
    case updateAppID(from: AppID.Draft, to: AppID.Draft)
    case createServiceID(ServiceID.Draft)
    case updateServiceID(from: ServiceID.Draft, to: ServiceID.Draft)
    case registerKey(Key.Registration)
    case renameKey(Key, to: String)
    case disconnectApple(AppleConnection)
    case deleteAppleKey(AppleKey)
    case importAppleKey(AppleKey.Import)
    case moveAppleKey(AppleKey, to: AppleKey.Draft)
    case connectApple(AppleConnection.Draft)
    case updateAppleConnection(from: AppleConnection.Draft, to: AppleConnection.Draft)
    case createEmailSource(EmailSource.Draft)
    case updateEmailSource(from: EmailSource.Draft, to: EmailSource.Draft)
    case createUser(PlannedUser)
    case renameUser(RegisteredUser, to: PersonName)
    case resetPassword(RegisteredUser, to: NewPassword)
    case resetTOTP(RegisteredUser, to: TOTPSecret)
}

/// A user to be created.
struct PlannedUser: Sendable {
    let email: EmailAddress
    let name: PersonName
    let password: NewPassword?
    let totpSecret: TOTPSecret?

    var login: LoginName { LoginName(email) }
}
