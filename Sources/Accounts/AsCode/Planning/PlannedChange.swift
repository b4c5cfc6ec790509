import Core
import Crypto
import Directory
import Platform
import Registry

/// One change that brings a team closer to the registry file.
enum PlannedChange: Sendable {
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
    case moveAppleKey(AppleKey, to: AppleKey.Settings)
    case connectApple(AppleConnection.Draft)
    case updateAppleConnection(from: AppleConnection.Draft, to: AppleConnection.Draft)
    case createEmailSource(EmailSource.Draft)
    case updateEmailSource(from: EmailSource.Draft, to: EmailSource.Draft)
    case createUser(PlannedUser)
    case renameUser(RegisteredUser, to: PersonName)
    case resetPassword(RegisteredUser, to: NewPassword)
    case resetTOTP(RegisteredUser, to: TOTPSecret)
}

// One line per change: + for additions, ~ for updates, - for removals.
extension PlannedChange {
    var line: String {
        switch self {
        case .createTeam(let id, let settings): "+ team \(id) \"\(settings.name)\", \(settings.mode.rawValue)"
        case .updateTeam(let id, let old, let new): "~ team \(id): \(Self.differences(old, new))"
        case .revokeKey(let key): "- key \(key.id) \"\(key.name)\" of \(key.appID), revoked"
        case .deleteServiceID(let service): "- Service ID \(service.identifier)"
        case .deleteAppID(let app, let services, let keys):
            "- App ID \(app.identifier)" + Self.with("Service ID", services.map(\.rawValue))
                + Self.with("key", keys.map(\.rawValue))
        case .deleteEmailSource(let source): "- e-mail source \(source.text)"
        case .deleteUser(let user): "- user \(user.login)"
        case .createAppID(let draft): "+ App ID \(draft.identifier)"
        case .updateAppID(let old, let new):
            "~ App ID \(new.identifier): \(Self.differences(old.settings, new.settings))"
        case .createServiceID(let draft): "+ Service ID \(draft.identifier) of \(draft.appID)"
        case .updateServiceID(let old, let new):
            "~ Service ID \(new.identifier): \(Self.differences(old.settings, new.settings))"
        case .registerKey(let key): "+ key \(key.id) \"\(key.name)\" of \(key.appID)"
        case .renameKey(let key, let name): "~ key \(key.id): \(Self.change("name", key.name, name))"
        case .disconnectApple(let connection): "- connection to Apple of \(connection.appID)"
        case .deleteAppleKey(let key): "- key \(key.id) \"\(key.name)\" from Apple, of \(key.appID)"
        case .importAppleKey(let key): "+ key \(key.id) from Apple, of \(key.appID), team \(key.settings.appleTeamID)"
        case .moveAppleKey(let key, let settings):
            "~ key \(key.id) from Apple: \(Self.differences(key.settings, settings))"
        case .connectApple(let draft):
            "+ connection to Apple of \(draft.appID): \(draft.servicesID), key \(draft.keyID)"
        case .updateAppleConnection(let old, let new):
            "~ connection to Apple of \(new.appID): \(Self.differences(old.settings, new.settings))"
        case .createEmailSource(let draft):
            "+ e-mail source \(draft.source.text)" + Self.with("selector", draft.settings.selectors.map(\.text))
        case .updateEmailSource(let old, let new):
            "~ e-mail source \(new.source.text): \(Self.differences(old.settings, new.settings))"
        case .createUser(let user): "+ user \(user.login)\(user.password == nil ? ", without a password" : "")"
        case .renameUser(let user, let name):
            "~ user \(user.login): "
                + [
                    Self.difference("given name", user.givenName, name.given),
                    Self.difference("family name", user.familyName, name.family),
                ].compactMap(\.self).joined(separator: ", ")
        case .resetPassword(let user, _): "~ user \(user.login): password reset"
        case .resetTOTP(let user, _): "~ user \(user.login): authenticator app reset"
        }
    }

    /// The settings that differ, by their names in the file.
    private static func differences<Values: DeclaredSettings>(_ old: Values, _ new: Values) -> String {
        Values.all.compactMap { setting in
            let (name, before, after) = (setting.name, setting.write(old), setting.write(new))
            guard case .array = before else { return difference(name, before.shown, after.shown) }
            return difference(name, before.strings, after.strings)
        }.joined(separator: ", ")
    }

    private static func difference(_ name: String, _ old: String, _ new: String) -> String? {
        old == new ? nil : change(name, old, new)
    }

    /// Added and removed elements of a list; when there are none, its order differs.
    private static func difference(_ name: String, _ old: [String], _ new: [String]) -> String? {
        if old == new { return nil }
        let marks =
            new.filter { !old.contains($0) }.map { "+ \($0)" } + old.filter { !new.contains($0) }.map { "- \($0)" }
        return marks.isEmpty ? "\(name) in another order" : "\(name) \(marks.joined(separator: " "))"
    }

    private static func change(_ name: String, _ old: String, _ new: String) -> String {
        "\(name) \"\(old)\" → \"\(new)\""
    }

    private static func with(_ noun: String, _ names: [String]) -> String {
        names.isEmpty ? "" : ", with \(noun)\(names.count == 1 ? "" : "s") \(names.joined(separator: ", "))"
    }
}

extension JSONValue {
    /// A text, a number or a flag.
    fileprivate var shown: String { string ?? integer.map { "\($0)" } ?? "\(boolean ?? false)" }
}
