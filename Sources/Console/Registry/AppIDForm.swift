import Core
import HTTP
import Platform
import Registry
import SignIn

/// Form of an App ID.
struct AppIDForm: ResourceForm {
    let identifier: String
    let description: String
    let primary: String
    let isEnabled: Bool
    let notificationURL: String
    let issuer: String

    /// An empty form.
    init() {
        (identifier, description, primary, isEnabled, notificationURL) = ("", "", "", true, "")
        issuer = ServiceID.Issuer.own.rawValue
    }

    init(_ form: Form) {
        identifier = form["identifier"] ?? ""
        description = form["description"] ?? ""
        primary = form["primary"] ?? ""
        isEnabled = form.isChecked("signIn")
        notificationURL = form["notificationURL"] ?? ""
        issuer = form["issuer"] ?? ServiceID.Issuer.own.rawValue
    }

    init(_ appID: AppID) {
        identifier = appID.identifier.rawValue
        description = appID.description
        primary = appID.primary?.rawValue ?? ""
        isEnabled = appID.isEnabled
        notificationURL = appID.notificationURL?.text ?? ""
        issuer = appID.issuer.rawValue
    }

    /// The unparsed values for the existing App ID `current`, or for a new one with the typed identifier.
    func input(over current: AppID? = nil) -> AppID.Input {
        AppID.Input(
            identifier: current?.identifier.rawValue ?? identifier.trimmed, description: description,
            isEnabled: isEnabled, primary: primary, notificationURL: notificationURL.trimmed, issuer: issuer)
    }

    var fields: [FormCoding.Field] {
        var fields = [
            FormCoding.Field("description", description), FormCoding.Field("primary", primary),
            FormCoding.Field("notificationURL", notificationURL), FormCoding.Field("issuer", issuer),
        ]
        if isEnabled { fields.append(FormCoding.Field("signIn", "yes")) }
        return fields
    }

    func compared(with current: AppID) -> [ConflictPage.Row] {
        zip(Self.settings(AppIDForm(current)), Self.settings(self)).map { theirs, yours in
            ConflictPage.Row(label: theirs.label, theirs: theirs.value, yours: yours.value)
        }
    }

    /// Label and displayed value of each setting.
    static func settings(_ form: AppIDForm) -> [(label: Message, value: any LocalizedTextConvertible)] {
        [
            (Message("console.registry.description"), form.description),
            (
                Message("console.registry.group"),
                form.primary.isEmpty
                    ? Message("console.registry.primary") : Message("console.registry.under", ["primary": form.primary])
            ),
            (
                Message("console.registry.sign-in"),
                form.isEnabled ? Message("console.registry.on") : Message("console.registry.off")
            ),
            (
                Message("console.notifications.address"),
                form.notificationURL.isEmpty
                    ? Message("console.registry.none") as any LocalizedTextConvertible : form.notificationURL
            ), (Message("console.registry.issuer"), ServiceID.Issuer.words(form.issuer)),
        ]
    }
}

// Inputs.
extension AppIDForm {
    /// - Parameters:
    ///   - base: the team's own issuer.
    ///   - isNew: whether the identifier can be typed, which is kept afterwards.
    func inputs(_ problems: FieldErrors, primaries: [AppID], own base: String, isNew: Bool) -> [Input] {
        let described = Input(
            "description", Message("console.registry.description"), description,
            hint: Message("console.app-ids.description.hint"), errors: problems)
        let identified = Input(
            "identifier", Message("console.app-ids.bundle-id"), identifier, placeholder: "com.example.app",
            hint: Message("console.app-ids.bundle-id.hint"), errors: problems, isCode: true)
        let grouped = Input.appIDs(
            primaries, chosen: primary, "primary", label: Message("console.registry.group"),
            hint: Message("console.app-ids.group.hint"),
            errors: problems.map { ($0.path == "appID" ? "primary" : $0.path, $0.message) },
            none: Message("console.app-ids.group.none"))
        let notified = Input(
            "notificationURL", Message("console.notifications.address"), notificationURL, as: .line("url"),
            placeholder: "https://example.com/apple/notifications", hint: Message("console.notifications.address.hint"),
            errors: problems, isRequired: false, isCode: true)
        let enabled = Input(
            "signIn", Message("console.app-ids.sign-in.label"), as: .box(isChecked: isEnabled),
            hint: Message("console.app-ids.sign-in.hint"))
        let issuing = ServiceID.Issuer.choices(issuer, own: base, problems)
        return isNew ? [described, identified, grouped, enabled] : [described, grouped, notified, issuing, enabled]
    }
}

extension ServiceID.Issuer {
    /// Choice of the issuer.
    ///
    /// - Parameters:
    ///   - issuer: the chosen one, as typed.
    ///   - base: the team's own.
    fileprivate static func choices(_ issuer: String, own base: String, _ problems: FieldErrors) -> Input {
        Input(
            "issuer", Message("console.registry.issuer"),
            as: .choices([
                .init(
                    own.rawValue, Message("console.service-ids.issuer.own"), hint: base,
                    isChosen: issuer != apple.rawValue),
                .init(
                    apple.rawValue, Message("console.service-ids.issuer.apple"),
                    hint: Message("console.service-ids.issuer.apple.hint"), isChosen: issuer == apple.rawValue),
            ]), hint: Message("console.service-ids.issuer.hint"), errors: problems)
    }

    fileprivate static func words(_ issuer: String) -> Message {
        issuer == apple.rawValue
            ? Message("console.service-ids.issuer.apple") : Message("console.service-ids.issuer.own")
    }
}
