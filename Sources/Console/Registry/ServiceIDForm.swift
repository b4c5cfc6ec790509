import Core
import HTTP
import Platform
import Registry
import SignIn

/// Form of a Service ID.
struct ServiceIDForm: ResourceForm {
    let identifier: String
    let appID: String
    let description: String
    /// Domains, one per line.
    let domains: TypedLines
    /// Return URLs, one per row, including empty rows.
    let returnURLs: [String]
    /// The nonempty rows with their positions on the page.
    let filledRows: [(row: Int, text: String)]
    let issuer: String
    let booleans: String
    let requiresPKCE: Bool

    /// An empty form.
    ///
    /// - Parameter appID: the preselected App ID.
    init(of appID: String = "") {
        (identifier, description, domains) = ("", "", TypedLines("", atMost: .domains))
        (returnURLs, filledRows) = ([], [])
        self.appID = appID
        issuer = ServiceID.Issuer.own.rawValue
        booleans = ServiceID.Booleans.json.rawValue
        requiresPKCE = false
    }

    init(_ form: Form) {
        identifier = form["identifier"] ?? ""
        appID = form["appID"] ?? ""
        description = form["description"] ?? ""
        domains = TypedLines(form["domains"] ?? "", atMost: .domains)
        returnURLs = form.values(of: "return_url")
        filledRows = Self.filled(returnURLs)
        issuer = form["issuer"] ?? ServiceID.Issuer.own.rawValue
        booleans = form["booleans"] ?? ServiceID.Booleans.json.rawValue
        requiresPKCE = form.isChecked("requirePKCE")
    }

    init(_ service: ServiceID) {
        identifier = service.identifier.rawValue
        appID = service.appID.rawValue
        description = service.description
        domains = TypedLines(service.domains.map(\.text).joined(separator: "\n"), atMost: .domains)
        returnURLs = service.returnURLs.map(\.text)
        filledRows = Self.filled(returnURLs)
        issuer = service.issuer.rawValue
        booleans = service.booleans.rawValue
        requiresPKCE = service.requiresPKCE
    }

    /// The unparsed values for the existing Service ID `identifier`, or for a new one with the typed identifier.
    func input(for identifier: ClientID? = nil) -> ServiceID.Input {
        ServiceID.Input(
            identifier: identifier?.rawValue ?? self.identifier.trimmed, description: description, domains: domains.all,
            returnURLs: filledRows.map(\.text), issuer: issuer, booleans: booleans, requiresPKCE: requiresPKCE)
    }

    private static func filled(_ rows: [String]) -> [(row: Int, text: String)] {
        rows.enumerated().compactMap { row, text in
            let text = text.trimmed
            return text.isEmpty ? nil : (row, text)
        }
    }

    var fields: [FormCoding.Field] {
        var fields = [FormCoding.Field("description", description), FormCoding.Field("domains", domains.text)]
        fields += returnURLs.map { FormCoding.Field("return_url", $0) }
        fields += [FormCoding.Field("issuer", issuer), FormCoding.Field("booleans", booleans)]
        if requiresPKCE { fields.append(FormCoding.Field("requirePKCE", "yes")) }
        return fields
    }

    func compared(with current: ServiceID) -> [ConflictPage.Row] {
        let theirs = ServiceIDForm(current).words
        return zip(theirs, words).map { theirs, yours in
            ConflictPage.Row(label: theirs.label, theirs: theirs.value, yours: yours.value)
        }
    }

    /// Label and displayed value of each setting.
    var words: [(label: Message, value: any LocalizedTextConvertible)] {
        [
            (Message("console.registry.description"), description),
            (Message("console.registry.domains"), Self.list(domains.all.sorted())),
            (Message("console.registry.return-urls"), Self.list(filledRows.map(\.text))),
            (Message("console.registry.issuer"), ServiceID.Issuer.words(issuer)),
            (
                Message("console.registry.booleans"),
                booleans == ServiceID.Booleans.string.rawValue
                    ? Message("console.service-ids.booleans.string") : Message("console.service-ids.booleans.json")
            ),
            (
                Message("console.registry.pkce"),
                requiresPKCE
                    ? Message("console.service-ids.pkce.required") : Message("console.service-ids.pkce.optional")
            ),
        ]
    }

    private static func list(_ values: [String]) -> any LocalizedTextConvertible {
        guard !values.isEmpty else { return Message("console.registry.none") }
        return values.joined(separator: ", ")
    }
}

extension ServiceIDForm {
    /// Errors number the nonempty return URLs only, while the page may have empty rows between them.
    func typed(_ errors: FieldErrors) -> FieldErrors {
        errors.naming(domains, of: "domains").map { error in
            guard error.path.name == "returnURLs", let position = error.path.position, position < filledRows.count
            else { return (error.path, error.message) }
            return (FieldPath("returnURLs")[filledRows[position].row], error.message)
        }
    }

    func element(of path: FieldPath) -> String {
        guard path.name == "returnURLs" else { return path.element }
        return path.position.map(Self.id) ?? "return-urls"
    }

    /// The error summary names the row of a return URL.
    func label(of path: FieldPath) -> Message? {
        path.name == "returnURLs" ? path.position.map(Self.label) ?? path.label : path.label
    }
}

// Inputs.
extension ServiceIDForm {
    /// The inputs for a new Service ID of one of `appIDs`.
    func inputs(_ problems: FieldErrors, of appIDs: [AppID]) -> [Input] {
        let parent = Input.appIDs(
            appIDs, chosen: appID, label: Message("console.registry.app-id"),
            hint: Message("console.service-ids.app-id.hint", count: Quota.serviceIDs.count), errors: problems)
        let identified = Input(
            "identifier", Message("console.registry.identifier"), identifier, placeholder: "com.example.web",
            hint: Message("console.service-ids.identifier.hint"), errors: problems, isCode: true)
        var inputs = addressInputs(problems)
        inputs.insert(identified, at: 1)
        return [parent] + inputs
    }

    /// Description, domains and return URLs.
    func addressInputs(_ problems: FieldErrors) -> [Input] {
        [
            Input(
                "description", Message("console.registry.description"), description,
                hint: Message("console.service-ids.description.hint"), errors: problems),
            Input(
                "domains", Message("console.registry.domains"), domains.text, as: .lines(3),
                hint: Message("console.service-ids.domains.hint"), errors: problems, isCode: true),
            returnURLInput(problems),
        ]
    }

    /// Issuer, spelling of Boolean claims, and PKCE.
    ///
    /// - Parameter base: the issuer URL of the team.
    func tokenInputs(own base: String, _ problems: FieldErrors) -> [Input] {
        let isString = booleans == ServiceID.Booleans.string.rawValue
        return [
            ServiceID.Issuer.choices(issuer, own: base, problems),
            Input(
                "booleans", Message("console.service-ids.booleans.label"),
                as: .choices([
                    .init(
                        ServiceID.Booleans.json.rawValue, "true",
                        hint: Message("console.service-ids.booleans.json.hint"), isChosen: !isString),
                    .init(
                        ServiceID.Booleans.string.rawValue, "\"true\"",
                        hint: Message("console.service-ids.booleans.string.hint"), isChosen: isString),
                ]), hint: Message("console.service-ids.booleans.help"), errors: problems),
            Input(
                "requirePKCE", Message("console.service-ids.pkce.label"), as: .box(isChecked: requiresPKCE),
                hint: Message("console.service-ids.pkce.hint")),
        ]
    }

    /// Rows for return URLs: ten, or more if more were typed; that there are too many stands at each that is one too much.
    private func returnURLInput(_ problems: FieldErrors) -> Input {
        let list: FieldPath = "returnURLs"
        let tooMany = Set(filledRows.dropFirst(Quota.returnURLs.count).map(\.row))
        let rows = (0..<max(Quota.returnURLs.count, returnURLs.count)).map { row in
            Input.Row(
                id: Self.id(ofRow: row), Self.label(ofRow: row), row < returnURLs.count ? returnURLs[row] : "",
                error: problems[list[row]] ?? (tooMany.contains(row) ? problems[list] : nil))
        }
        return Input(
            "return_url", Message("console.registry.return-urls"), as: .rows(rows),
            hint: Message("console.service-ids.return-urls.hint", ["limit": Quota.returnURLs.count]))
    }

    private static func id(ofRow row: Int) -> String { "return-url-\(row + 1)" }

    private static func label(ofRow row: Int) -> Message {
        Message("console.service-ids.return-url", ["number": row + 1])
    }
}

extension ServiceID.Issuer {
    /// Choice of the issuer, of a Service ID or a bundle ID.
    ///
    /// - Parameters:
    ///   - issuer: the chosen one, as typed.
    ///   - base: the team's own.
    static func choices(_ issuer: String, own base: String, _ problems: FieldErrors) -> Input {
        Input(
            "issuer", Message("console.registry.issuer"),
            as: .choices([
                .init(
                    own.rawValue, Message("console.service-ids.issuer.own"), hint: base,
                    isChosen: issuer != apple.rawValue),
                .init(
                    apple.rawValue, "https://appleid.apple.com", hint: Message("console.service-ids.issuer.apple.hint"),
                    isChosen: issuer == apple.rawValue),
            ]), hint: Message("console.service-ids.issuer.help"), errors: problems)
    }

    static func words(_ issuer: String) -> any LocalizedTextConvertible {
        issuer == apple.rawValue ? "https://appleid.apple.com" : Message("console.service-ids.issuer.own.short")
    }
}
