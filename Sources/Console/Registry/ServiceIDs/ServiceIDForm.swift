import Bytes
import Domain
import HTTP
import Registry
import Web

/// What was typed of a Service ID.
struct ServiceIDForm: ResourceForm {
    let identifier: String
    let appID: String
    let description: String
    /// One domain a line.
    let domains: TypedLines
    /// A row each, empty ones included.
    let returnURLs: [String]
    /// Rows with something in them, by their position on the page.
    let filledRows: [(row: Int, text: String)]
    let issuer: String
    let booleans: String
    let requiresPKCE: Bool

    /// An empty form.
    ///
    /// - Parameter appID: the App ID that is chosen already.
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

    /// What was typed, of the Service ID `identifier`, or of the one that was typed.
    func input(for identifier: ClientID? = nil) -> ServiceID.Input {
        ServiceID.Input(
            identifier: identifier?.rawValue ?? self.identifier.trimmed,
            description: description,
            domains: domains.all,
            returnURLs: filledRows.map(\.text),
            issuer: issuer,
            booleans: booleans,
            requiresPKCE: requiresPKCE
        )
    }

    private static func filled(_ rows: [String]) -> [(row: Int, text: String)] {
        rows.enumerated().compactMap { row, text in
            let text = text.trimmed
            return text.isEmpty ? nil : (row, text)
        }
    }

    /// The fields, to be sent once more.
    var fields: [FormCoding.Field] {
        var fields = [
            FormCoding.Field("description", description), FormCoding.Field("domains", domains.text),
        ]
        fields += returnURLs.map { FormCoding.Field("return_url", $0) }
        fields += [FormCoding.Field("issuer", issuer), FormCoding.Field("booleans", booleans)]
        if requiresPKCE { fields.append(FormCoding.Field("requirePKCE", "yes")) }
        return fields
    }

    /// Each setting beside the one of `current`.
    func compared(with current: ServiceID) -> [ConflictPage.Row] {
        let theirs = ServiceIDForm(current).words
        return zip(theirs, words).map { theirs, yours in
            ConflictPage.Row(label: theirs.label, theirs: theirs.value, yours: yours.value)
        }
    }

    /// Each setting in words.
    var words: [(label: Phrase, value: any Wording)] {
        [
            (Phrase("console.registry.description"), description),
            (Phrase("console.registry.domains"), Self.list(domains.all.sorted())),
            (Phrase("console.registry.return-urls"), Self.list(filledRows.map(\.text))),
            (Phrase("console.registry.issuer"), issuerWords),
            (
                Phrase("console.registry.booleans"),
                booleans == ServiceID.Booleans.string.rawValue
                    ? Phrase("console.service-ids.booleans.string")
                    : Phrase("console.service-ids.booleans.json")
            ),
            (
                Phrase("console.registry.pkce"),
                requiresPKCE
                    ? Phrase("console.service-ids.pkce.required")
                    : Phrase("console.service-ids.pkce.optional")
            ),
        ]
    }

    private var issuerWords: any Wording {
        guard issuer == ServiceID.Issuer.apple.rawValue else {
            return Phrase("console.service-ids.issuer.own.short")
        }
        return "https://appleid.apple.com"
    }

    private static func list(_ values: [String]) -> any Wording {
        guard !values.isEmpty else { return Phrase("console.registry.none") }
        return values.joined(separator: ", ")
    }
}
